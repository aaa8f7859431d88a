import { Script } from 'node:vm';
import { beforeAll, expect, test } from 'vitest';
import { useAdmin } from '../support/admin.ts';
import type { Answer } from '../support/send.ts';
import { call } from '../support/test-service.ts';

const { service } = useAdmin();
let page: Answer;
/** What the page names, by path. */
const files = new Map<string, Answer>();

const ask = (path: string, options?: Parameters<typeof call>[1]) =>
  call(service.server.opsUrl + path, { token: null, ...options });

beforeAll(async () => {
  page = await ask('/console');
  const paths = page.text.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g);
  await Promise.all(
    [...new Set([...paths].map(([, path = '']) => path))].map(async (path) => {
      files.set(path, await ask(path));
    }),
  );
});

test('the page needs no token, is never outdated, and cannot be framed', () => {
  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('Cache-Control')).toBe('public, no-cache');
  expect(page.headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(page.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
});

test('the policy allows only what the console has, and no text that becomes HTML or code', () => {
  const policy = page.headers.get('Content-Security-Policy') ?? '';
  const directives = policy.split('; ').map((directive) => directive.split(' '));
  expect(Object.fromEntries(directives.map(([name, ...values]) => [name, values]))).toEqual({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  });
});

test('every file that the page names is there, to be kept, and of its type', () => {
  expect(files.size).toBe(3);
  const types = {
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
  };
  for (const [path, { status, headers }] of files) {
    expect(status, path).toBe(200);
    expect(headers.get('Cache-Control'), path).toBe('public, max-age=31536000, immutable');
    expect(headers.get('X-Content-Type-Options'), path).toBe('nosniff');
    const extension = path.slice(path.lastIndexOf('.') + 1) as keyof typeof types;
    expect(headers.get('Content-Type'), path).toContain(types[extension]);
  }
});

test('the script compiles: nothing is left of types, imports and exports', () => {
  const [[path = '', { text = '' } = {}] = []] = [...files].filter(([path]) =>
    path.endsWith('.js'),
  );
  expect(() => new Script(text, { filename: path })).not.toThrow();
});

test('files are sent compressed, and not again if the browser has them', async () => {
  const [path = ''] = [...files.keys()];
  const compressed = await ask(path, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(compressed.headers.get('Content-Encoding')).toBe('gzip');
  const tag = page.headers.get('ETag') ?? '';
  const again = await ask('/console', { headers: { 'If-None-Match': tag } });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('a file of another version is not found', async () => {
  expect((await ask('/console/console.js')).body).toMatchObject({ code: 'not_found' });
});
