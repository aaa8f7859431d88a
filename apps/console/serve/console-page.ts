/** What the page needs, as paths. */
export interface PagePaths {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/** Creates the page and its headers. */
export function consolePage(paths: PagePaths): {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  return {
    html: htmlOf(paths),
    headers: {
      'Content-Security-Policy': contentSecurityPolicy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    },
  };
}

/**
 * Allows the console's own files, and nothing else, also nothing inline. No script may turn a text into HTML,
 * whatever a key is called.
 */
const contentSecurityPolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

const htmlOf = ({ script, style, icon }: PagePaths) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Animal Store console</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<noscript>The console needs JavaScript. Without it: npm run keys -- help</noscript>
</body>
</html>
`;
