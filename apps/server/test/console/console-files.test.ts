import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import { call } from '../support/test-service.ts';

const { service } = useAdmin();

const ask = (path: string, headers: Record<string, string> = {}) =>
  call(service.server.opsUrl + path, { token: null, headers });

test("the console's HTML page needs no token, is always revalidated, cannot be framed, and loads only the console's own files", async () => {
  const page = await ask('/console');
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

test("every file that the console's HTML page loads exists, is cached as immutable, and has the right content type", async () => {
  const { text: page } = await ask('/console');
  const types: Record<string, string> = {};
  for (const [, path = ''] of page.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)) {
    const { status, headers, text } = await ask(path);
    // `Script` accepts only plain JavaScript without modules. So it fails if a file still contains
    // types, imports or exports.
    if (path.endsWith('.js')) expect(() => new Script(text)).not.toThrow();
    expect([status, headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual([
      ...[200, 'public, max-age=31536000, immutable', 'nosniff'],
    ]);
    types[path.slice(path.lastIndexOf('.') + 1)] = String(headers.get('Content-Type'));
  }
  expect(types).toEqual({
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
  });
  const other = await ask('/console/console.js');
  expect(other.body).toMatchObject({ code: 'not_found' });
});

test('the address of the console with a slash at its end redirects to the console', async () => {
  const { status, headers } = await ask('/console/');
  expect([status, headers.get('Location')]).toEqual([302, '/console']);
});
