import { apiVersion } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { parseBaseUrl } from './client-options.ts';

test.each([
  [`https://store.example/${apiVersion}/`, 'https://store.example/v1'],
  ['HTTP://Store.Example:80/v1', 'http://store.example/v1'],
  [new URL('http://[::1]:3000/shop/v1'), 'http://[::1]:3000/shop/v1'],
])('parseBaseUrl accepts %s', (baseUrl, expected) => {
  expect(parseBaseUrl(baseUrl)).toBe(expected);
});

test.each<readonly [string | undefined, string]>([
  [undefined, 'missing'],
  ['', 'missing'],
  ...['https://store.example', 'https://store.example/', 'https://store.example/av1'].map(
    (baseUrl) => [baseUrl, 'expected /v1 at its end'] as const,
  ),
  ...[
    'store.example/v1',
    'ftp://a/https://store.example/v1',
    'httpss://store.example/v1',
    'https://store.example/v2',
    'https://store.example/v1//',
    'https://store.example/v1?',
    'https://store.example/v1#a',
    'https://me:secret@store.example/v1',
  ].map((baseUrl) => [baseUrl, 'expected http(s)://.../v1'] as const),
])('parseBaseUrl refuses %s without quoting the URL in the error: %s', (baseUrl, why) => {
  expect(() => parseBaseUrl(baseUrl)).toThrow(
    new TypeError(`baseUrl (or ANIMAL_STORE_BASE_URL): ${why}`),
  );
});
