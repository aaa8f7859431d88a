import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { StaticFile } from '@animal-store/http-server';
import { HttpError } from '@animal-store/http-server';

/**
 * The folder of the built console, which Vite creates. `npm start`, the Docker image and the tests
 * build it first.
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
 * The Content-Security-Policy of the console. It allows only the console's own files and no inline
 * code. It also forbids scripts to convert text to HTML. So a name of an API key that contains HTML
 * stays text (protection against cross-site scripting).
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
 * Reads the built files of the console. The keys of the map are the file names below `/console`.
 * The HTML page has an empty name.
 *
 * @param folder the folder of the built console. Tests use another folder.
 * @throws {HttpError} with the status 503 if the console is not built. The service also works
 * without the console, so this is not a bug of the service.
 */
export async function readConsoleFiles(folder = built): Promise<ReadonlyMap<string, StaticFile>> {
  const names = await readdir(folder).catch(refuseUnbuilt);
  // Vite deletes all files at the start of a build. So a folder without the page is not built yet.
  if (!names.includes('index.html')) refuseUnbuilt();
  return new Map(await Promise.all(names.map((name) => readConsoleFile(folder, name))));
}

function refuseUnbuilt(cause?: unknown): never {
  throw new HttpError(
    'service_unavailable',
    'The console is not built. In the folder of Animal Store, run `node scripts/build-console.mjs`, and then reload this page. You need not restart the service.',
    { cause },
  );
}

async function readConsoleFile(
  folder: URL,
  name: string,
): Promise<[path: string, file: StaticFile]> {
  const type = types[extname(name)];
  if (type === undefined)
    throw new Error(
      `The console has a file of an unknown type: ${name}. Add its content type to console-files.ts.`,
    );
  const file = { type, content: await readFile(new URL(name, folder), 'utf8') };
  if (name === 'index.html') return ['', { ...file, immutable: false, headers: pageHeaders }];
  // Browsers may cache the file forever, because Vite has added a hash of the content to its name.
  return [name, { ...file, immutable: true }];
}
