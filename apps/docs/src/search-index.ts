import type { DocsPage, DocsPages } from './docs-page.ts';
import { renderMarkdown } from './render-markdown.ts';

/** What the search finds: a heading of a page. */
interface SearchEntry {
  readonly title: string;
  /** The title of its page. */
  readonly page: string;
  readonly path: string;
  readonly text: string;
}

/**
 * Makes the index that the search of the pages loads: all headings of the guides, and every error code. What
 * operations answer is left out: it is the same for most, and the codes are in the index.
 */
export function searchIndex({ home, guides }: DocsPages): SearchEntry[] {
  const errors = entriesOf(home).filter(({ path }) => path.includes('#error-'));
  const others = guides
    .flatMap(entriesOf)
    .filter(({ path }) => !/-(?:answers?|samples)$/.test(path));
  return [...errors, ...others];
}

function entriesOf({ path, title: page, markdown }: DocsPage): SearchEntry[] {
  let chapter = page;
  return renderMarkdown(markdown).sections.map(({ id, depth, title, text }) => {
    if (depth < 3) chapter = title;
    return {
      title: /-(?:body|parameters)$/.test(id) ? `${chapter}: ${title.toLowerCase()}` : title,
      page,
      path: id === '' ? path : `${path}#${id}`,
      text,
    };
  });
}
