import { hash } from 'node:crypto';

/** What the page needs, as paths. */
export interface PagePaths {
  readonly main: string;
  readonly styles: readonly string[];
  readonly icon: string;
  /** All modules, so that a browser need not find them one by one. */
  readonly modules: readonly string[];
  readonly imports: Readonly<Record<string, string>>;
}

/** Creates the page and its headers. */
export function consolePage(paths: PagePaths): {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const importMap = JSON.stringify({ imports: paths.imports });
  return {
    html: htmlOf(paths, importMap),
    headers: {
      'Content-Security-Policy': contentSecurityPolicy(importMap),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    },
  };
}

/**
 * Allows the console's own files, and nothing else. The import map must be inline, so its hash is allowed.
 * No script may turn a text into HTML, whatever a key is called.
 */
function contentSecurityPolicy(importMap: string): string {
  return [
    `default-src 'none'`,
    `script-src 'self' 'sha256-${hash('sha256', importMap, 'base64')}'`,
    `style-src 'self'`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');
}

const htmlOf = ({ main, styles, icon, modules }: PagePaths, importMap: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Animal Store console</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
<script type="importmap">${importMap}</script>
${modules.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')}
<script type="module" src="${main}"></script>
</head>
<body>
<noscript>The console needs JavaScript. Without it: npm run keys -- help</noscript>
</body>
</html>
`;
