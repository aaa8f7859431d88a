import type { OpenApiOptions } from '@animal-store/contract/openapi';

/**
 * Allows nothing from other hosts, and only our own scripts. Inline styles are allowed, because Scalar
 * generates style elements and attributes whose hashes change with the content.
 */
export function contentSecurityPolicy({ stagingOrigin }: OpenApiOptions): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `connect-src 'self'${stagingOrigin === undefined ? '' : ` ${stagingOrigin}`}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** Creates the HTML page of the interactive reference, given the paths of its files. */
export function referencePage(paths: {
  bundle: string;
  start: string;
  style: string;
  icon: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Try the Animal Store API</title>
<meta name="description" content="Interactive reference of the Animal Store API.">
<link rel="icon" href="${paths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${paths.style}">
<link rel="preload" href="${paths.bundle}" as="script">
</head>
<body>
<noscript>This page needs JavaScript. Without it: <a href="/docs/guides/operations">all operations, with samples</a>.</noscript>
<div id="reference"></div>
<script src="${paths.start}" data-bundle="${paths.bundle}"></script>
</body>
</html>
`;
}
