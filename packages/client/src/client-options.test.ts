import { describe, expect, test } from 'vitest';
import { checkApiKey, parseBaseUrl } from './client-options.ts';

describe('baseUrl', () => {
  test.each([
    ['https://store.example/v1', 'https://store.example/v1'],
    ['https://store.example/v1/', 'https://store.example/v1'],
    ['HTTP://Store.Example:80/v1', 'http://store.example/v1'],
    ['http://[::1]:3000/shop/v1/', 'http://[::1]:3000/shop/v1'],
    [new URL('https://store.example/v1'), 'https://store.example/v1'],
  ])('%s is taken', (baseUrl, expected) => {
    expect(parseBaseUrl(baseUrl)).toBe(expected);
  });

  test.each([
    ['', ''],
    ['store.example/v1', ''],
    ['/v1', ''],
    [undefined as unknown as string, ''],
    ['ftp://store.example/v1', ', got ftp://store.example/v1'],
    ['https://store.example', ', got https://store.example'],
    ['https://store.example/v2', ', got https://store.example/v2'],
    ['https://store.example/v1//', ', got https://store.example/v1/'],
    ['https://store.example/av1', ', got https://store.example/av1'],
    ['https://store.example/v1?', ', got https://store.example/v1'],
    ['https://store.example/v1?a=1', ', got https://store.example/v1'],
    ['https://store.example/v1#a', ', got https://store.example/v1'],
    ['https://me:secret@store.example/v1', ', got https://store.example/v1'],
    ['httpss://store.example/v1', ', got httpss://store.example/v1'],
  ])('%s is refused, and no password shown', (baseUrl, ending) => {
    expect(() => parseBaseUrl(baseUrl)).toThrow(
      new TypeError(
        `baseUrl: expected an http(s) address that ends with /v1, without user name, password, query and fragment${ending}`,
      ),
    );
  });
});

describe('apiKey', () => {
  test('any visible ASCII is taken', () => {
    expect(() => checkApiKey("!~aZ09_-.'")).not.toThrow();
  });

  test.each([
    '',
    undefined,
    null,
    42,
    'ast_secret\n',
    '\nast_secret',
    'ast secret',
    'ast_secr\u00e9t',
    'ast_\u0000',
    '\u2026',
  ])('%j is refused without being quoted', (apiKey) => {
    expect(() => checkApiKey(apiKey as string)).toThrow(
      new TypeError(
        'apiKey: expected visible ASCII characters, at least one, and no space or line break',
      ),
    );
  });
});
