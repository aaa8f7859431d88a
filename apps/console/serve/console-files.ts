import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { consolePage } from './console-page.ts';

const gzip = promisify(gzipWithCallback);
const run = promisify(execFile);

/** A file of the console. */
export interface ConsoleFile {
  readonly type: string;
  /** The content, as gzip in one member. */
  readonly gzipped: Buffer;
  /** Whether the path contains a hash of the content, so that caches need not revalidate. */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const sources = new URL('../src/', import.meta.url);

/** Creates the files of the console, by their names below `/console`. The page has none. */
export async function createConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  const add = async (name: string, type: string, content: string) => {
    const gzipped = await gzip(content);
    const hashed = name.replace('.', `.${hash('sha256', gzipped, 'base64url').slice(0, 12)}.`);
    files.set(hashed, { type, gzipped, immutable: true });
    return `/console/${hashed}`;
  };
  const { html, headers } = consolePage({
    script: await add('console.js', 'text/javascript; charset=utf-8', await bundleScript()),
    style: await add('console.css', 'text/css; charset=utf-8', readStyles()),
    icon: await add(
      'icon.svg',
      'image/svg+xml',
      readFileSync(new URL('icon.svg', sources), 'utf8'),
    ),
  });
  const gzipped = await gzip(html);
  return files.set('', { type: 'text/html; charset=utf-8', gzipped, immutable: false, headers });
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
