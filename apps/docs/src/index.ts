export { createDocsFiles, type DocsFile, type DocsOptions } from './docs-files.ts';
export { docsPaths, guideMarkdownPath, guidePath } from './docs-page.ts';
export { docsPageHeaders } from './docs-page-headers.ts';
export { errorPageHtml } from './error-page-html.ts';
export type { DocsNumbers } from './guide-values.ts';
export { guides } from './guides.ts';
