import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRedact } from './redact.ts';

const key = 'ast_0123456789abcdefghijABCDEFGHIJ012345';
const redact = createRedact(key);

function fail(): never {
  throw new Error('a trap');
}

function requestWithKey(): Request {
  return new Request('https://store.example/v1/pets', { headers: { Authorization: key } });
}

describe('text', () => {
  test('loses the key wherever it is', () => {
    expect(redact(`a ${key} b ${key}`)).toBe('a [API key] b [API key]');
  });

  test('keeps a key that may be part of a word', () => {
    expect(createRedact('1234567')('12345678')).toBe('12345678');
    expect(createRedact('12345678')('12345678')).toBe('[API key]');
  });
});

describe('cause', () => {
  test('that is a text loses the key', () => {
    const cause: unknown = `failed ${key}`;
    expect(redact(cause)).toBe('failed [API key]');
  });

  test.each([
    new TypeError('fetch failed', { cause: new Error('ECONNRESET') }),
    undefined,
    null,
    'a text',
    7,
    { code: 'E' },
  ])('that does not hold the key stays as it is: %s', (cause) => {
    expect(redact(cause)).toBe(cause);
  });

  test.each([
    ['its message', new Error(`failed: Bearer ${key}`)],
    ['a cause', new Error('failed', { cause: new Error(key) })],
    ['a member', Object.assign(new Error('failed'), { options: { headers: [['a', key]] } })],
    [
      'headers',
      Object.assign(new Error('failed'), { config: { headers: new Headers({ a: key }) } }),
    ],
    ['a request', Object.assign(new Error('failed'), { request: requestWithKey() })],
    ['a symbol', Object.assign(new Error('failed'), { [Symbol('options')]: key })],
    ['an object', { request: { authorization: key } }],
  ])('that holds the key in %s is replaced by an error without it', (_where, cause) => {
    const redacted = redact(cause) as Error;
    expect(redacted).toBeInstanceOf(Error);
    expect(inspect(redacted, { depth: 20, showHidden: true })).not.toContain(key);
    expect(redacted.stack).not.toContain(key);
    if (cause instanceof Error) {
      expect(redacted.message).toBe(cause.message.replaceAll(key, '[API key]'));
      expect(redacted.stack).toBe(cause.stack?.replaceAll(key, '[API key]'));
    }
  });

  test('is searched five steps deep, and no further', () => {
    const five = { a: { b: { c: { d: { e: key } } } } };
    const deeper = { a: { b: { c: { d: { e: { f: key } } } } } };
    expect(redact(five)).not.toBe(five);
    expect(redact(deeper)).toBe(deeper);
  });

  test('is replaced if only its stack holds the key, as when the message was cleaned', () => {
    const cause = new Error(key);
    cause.message = 'failed';
    expect((redact(cause) as Error).stack).not.toContain(key);
  });

  test.each([
    ['throws when it is looked at', new Proxy({}, { ownKeys: fail })],
    ['has no text', Object.assign(Object.create(null), { key })],
    ['has a message that is none', { message: {}, key }],
    ['throws when its message is read', Object.defineProperty({ key }, 'message', { get: fail })],
  ])('that %s is replaced, and throws nothing', (_what, cause) => {
    const redacted = redact(cause);
    expect(redacted).toBeInstanceOf(Error);
    expect(inspect(redacted, { depth: 20, showHidden: true })).not.toContain(key);
  });

  test('may go in circles, and have getters that throw', () => {
    const cause = Object.defineProperty(new Error('failed'), 'bad', {
      enumerable: true,
      get() {
        throw new Error('never called');
      },
    });
    Object.assign(cause, { self: cause });
    expect(redact(cause)).toBe(cause);
  });
});
