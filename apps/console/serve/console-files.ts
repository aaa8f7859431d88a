import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file of the console. */
export interface ConsoleFile {
  readonly type: string;
  readonly content: string;
  /** Whether the path contains a hash of the content, so that caches need not revalidate. */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const sources = new URL('../src/', import.meta.url);

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

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

const htmlOf = (script: string, style: string, icon: string) => `<!doctype html>
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

/** Creates the files of the console, by their names below `/console`. The page has none. */
export async function createConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  const add = (name: string, type: string, content: string) => {
    const hashed = name.replace('.', `.${hash('sha256', content, 'base64url').slice(0, 12)}.`);
    files.set(hashed, { type, content, immutable: true });
    return `/console/${hashed}`;
  };
  const content = htmlOf(
    add('console.js', 'text/javascript; charset=utf-8', await bundleScript()),
    add('console.css', 'text/css; charset=utf-8', readStyles()),
    add('icon.svg', 'image/svg+xml', readFileSync(new URL('icon.svg', sources), 'utf8')),
  );
  return files.set('', { type: 'text/html; charset=utf-8', content, immutable: false, headers });
}

async function bundleScript(): Promise<string> {
  const program = fileURLToPath(new URL('bundle-script.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', program];
  return (await run(process.execPath, args, { maxBuffer: 10_000_000 })).stdout;
}

function readStyles(): string {
  const folder = new URL('styles/', sources);
  const own = readdirSync(folder).sort();
  const all = [
    ...own.map((name) => new URL(name, folder)),
    new URL(import.meta.resolve('uplot/dist/uPlot.min.css')),
  ];
  return all.map((url) => readFileSync(url, 'utf8')).join('\n');
}
