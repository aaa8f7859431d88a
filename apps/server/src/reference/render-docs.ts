// What needs the Markdown library. `reference-files.ts` loads it with the first page.

export { changelogFeed } from './changelog-feed.ts';
export { docsPageHtml } from './docs-page-html.ts';
export { searchIndex } from './search-index.ts';
