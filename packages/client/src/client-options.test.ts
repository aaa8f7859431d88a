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
    ['ftp://store.example/v1', ', got the protocol ftp:'],
    ['https://store.example', ', got https://store.example/'],
    ['https://store.example/v2', ', got https://store.example/v2'],
    ['https://store.example/v1//', ', got https://store.example/v1//'],
    ['https://store.example/av1', ', got https://store.example/av1'],
    ['https://store.example/v1?a=1', ', without user name, password, query and fragment'],
    ['https://store.example/v1#a', ', without user name, password, query and fragment'],
    ['https://me:secret@store.example/v1', ', without user name, password, query and fragment'],
  ])('%s is refused', (baseUrl, ending) => {
    expect(() => parseBaseUrl(baseUrl)).toThrow(
      new TypeError(`baseUrl: expected an http(s) address that ends with /v1${ending}`),
    );
  });
});

describe('apiKey', () => {
  test('any visible ASCII is taken', () => {
    expect(() => checkApiKey("!~aZ09_-.'")).not.toThrow();
  });

  test.each(['', undefined, null, 42])('%j is refused', (apiKey) => {
    expect(() => checkApiKey(apiKey as string)).toThrow(
      new TypeError('apiKey: expected a string that is not empty'),
    );
  });

  test.each(['ast_secret\n', 'ast secret', 'ast_secr\u00e9t', 'ast_\u0000', '\u2026'])(
    '%j is refused without being quoted',
    (apiKey) => {
      expect(() => checkApiKey(apiKey)).toThrow(
        new TypeError(
          'apiKey: expected visible ASCII characters only, found a space, line break or other',
        ),
      );
    },
  );
});
