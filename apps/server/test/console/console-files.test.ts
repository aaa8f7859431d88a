import { Script } from 'node:vm';
import { beforeAll, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import type { Answer } from '../support/send.ts';
import { call } from '../support/test-service.ts';

const { service } = useAdmin();
let page: Answer;
/** What the page names. */
let paths: string[];

const ask = (path: string, headers: Record<string, string> = {}) =>
  call(service.server.opsUrl + path, { token: null, headers });

beforeAll(async () => {
  page = await ask('/console');
  paths = Array.from(
    page.text.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g),
    ([, path = '']) => path,
  );
});

test('the page needs no token, is never outdated, cannot be framed, and loads only its own files', () => {
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, no-cache',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  });
});

test('every file that the page names is there, to be kept, and of its type', async () => {
  const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
  const found = await Promise.all(
    paths.map(async (path) => {
      const { status, headers, text } = await ask(path);
      // Nothing is left of types, imports and exports.
      if (path.endsWith('.js')) expect(() => new Script(text)).not.toThrow();
      expect([status, headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual(
        [200, 'public, max-age=31536000, immutable', 'nosniff'],
      );
      return [path.slice(path.lastIndexOf('.') + 1), headers.get('Content-Type')?.split(';')[0]];
    }),
  );
  expect(Object.fromEntries(found)).toEqual(types);
});

test('files are sent compressed, and not again if the browser has them', async () => {
  const compressed = await ask(paths[0] ?? '', { 'Accept-Encoding': 'gzip' });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  const again = await ask('/console', { 'If-None-Match': page.headers.get('ETag') ?? '' });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('a file of another version is not found', async () => {
  expect((await ask('/console/console.js')).body).toMatchObject({ code: 'not_found' });
});
