import type { DocsPage, DocsPages } from './docs-page.ts';
import { renderMarkdown } from './render-markdown.ts';

/** A heading of a page, which the search finds. */
interface SearchEntry {
  readonly title: string;
  /** The title of its page. */
  readonly page: string;
  readonly path: string;
  readonly text: string;
}

/**
 * Creates the search index that the pages load: all headings of the guides, and every error code.
 * The responses of operations are left out, because most are the same, and the index contains the
 * codes.
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
