import { escapeHtml } from './escape-html.ts';
import type { Section } from './render-markdown.ts';

/** The smallest number of headings for which a page gets a table of contents. */
const fewest = 3;

/** Renders the table of contents of a page: its headings of the second and third level. */
export function contentsHtml(sections: readonly Section[]): string {
  const listed = sections.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < fewest) return '';
  const items = listed.map(
    ({ id, depth, title }) =>
      `<li${depth === 3 ? ' class="inner"' : ''}><a href="#${id}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="contents" id="contents" popover aria-labelledby="contents-title">
<h2 id="contents-title">On this page</h2>
<ul>
${items.join('\n')}
</ul>
</nav>
`;
}
