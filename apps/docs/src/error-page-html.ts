import { STATUS_CODES } from 'node:http';
import { docsPaths } from './docs-page.ts';
import { style } from './docs-page-headers.ts';
import { escapeHtml } from './escape-html.ts';

/** Renders an error as an HTML page, for browsers. Other callers receive the JSON error. */
export function errorPageHtml({ status, message }: { status: number; message: string }): string {
  const title = `${status} ${STATUS_CODES[status]}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Animal Store API</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="${docsPaths.home}">The reference of the Animal Store API</a></p>
</main>
</body>
</html>
`;
}
