import type { DocsPage, DocsPages } from './docs-page.ts';
import { renderMarkdown } from './render-markdown.ts';

/** One entry of the search index: a heading and its text. */
interface SearchEntry {
  readonly title: string;
  /** The title of the page that contains the heading. */
  readonly page: string;
  readonly path: string;
  readonly text: string;
}

/**
 * Creates the search index: all headings of the guides, and every error code. The headings of
 * responses and samples are left out, because they would repeat the error codes and the languages
 * for each operation.
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
