import { apiVersion } from '@animal-store/contract';
import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from './client-options.ts';

describe('baseUrl', () => {
  test.each([
    ['https://store.example/v1', 'https://store.example/v1'],
    ['https://store.example/v1/', 'https://store.example/v1'],
    ['HTTP://Store.Example:80/v1', 'http://store.example/v1'],
    ['http://[::1]:3000/shop/v1/', 'http://[::1]:3000/shop/v1'],
    [new URL('https://store.example/v1'), 'https://store.example/v1'],
    [`https://store.example/${apiVersion}`, 'https://store.example/v1'],
  ])('%s is taken', (baseUrl, expected) => {
    expect(parseBaseUrl(baseUrl)).toBe(expected);
  });

  test.each(['', undefined])('%j is missing', (baseUrl) => {
    const missing = new TypeError('baseUrl (or ANIMAL_STORE_BASE_URL): missing');
    expect(() => parseBaseUrl(baseUrl)).toThrow(missing);
  });

  test.each([
    'store.example/v1',
    '/v1',
    'ftp://store.example/v1',
    'https://store.example',
    'https://store.example/v2',
    'https://store.example/v1//',
    'https://store.example/av1',
    'https://store.example/v1?',
    'https://store.example/v1?a=1',
    'https://store.example/v1#a',
    'https://me:secret@store.example/v1',
    'httpss://store.example/v1',
  ])('%s is refused without being quoted', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl)).toThrow(
      new TypeError('baseUrl (or ANIMAL_STORE_BASE_URL): expected http(s)://.../v1'),
    );
  });
});
