import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { StaticFile } from '../http/send-file.ts';

/**
 * The folder where Vite puts the built console. `npm start`, the image and the tests build it
 * first.
 */
const built = new URL('../../../console/dist/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The Content-Security-Policy, which allows only the console's own files and no inline code.
 * Scripts cannot turn text into HTML, so a malicious name of a key stays text.
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

const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Reads the built files of the console, by their names below `/console`. The page has the empty
 * name.
 *
 * @throws if the console is not built.
 */
export async function readConsoleFiles(): Promise<ReadonlyMap<string, StaticFile>> {
  const names = await readdir(built).catch((cause) => {
    throw new Error('The console is not built. Run `node scripts/build-console.mjs`.', {
      cause,
    });
  });
  return new Map(await Promise.all(names.map(readConsoleFile)));
}

async function readConsoleFile(name: string): Promise<[path: string, file: StaticFile]> {
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`The console has a file of an unknown type: ${name}`);
  const file = { type, content: await readFile(new URL(name, built), 'utf8') };
  if (name === 'index.html') return ['', { ...file, immutable: false, headers: pageHeaders }];
  // The name of the file contains a hash of its content, which Vite has added.
  return [name, { ...file, immutable: true }];
}
