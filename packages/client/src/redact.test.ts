import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createRedact } from './redact.ts';

const key = 'ast_0123456789abcdefghijABCDEFGHIJ012345';
const redact = createRedact(key);
const fail = () => expect.unreachable('a trap');

test('`redact` removes the API key from a text, unless the key has fewer than 8 characters and could be part of a word', () => {
  expect(redact(`a ${key} b ${key}`)).toBe('a [API key] b [API key]');
  expect(createRedact('1234567')('12345678')).toBe('12345678');
  expect(createRedact('12345678')('12345678')).toBe('[API key]');
});

const circular = Object.defineProperty(new Error('failed'), 'bad', { enumerable: true, get: fail });
Object.assign(circular, { self: circular });

test.each([
  undefined,
  null,
  7,
  // This object contains the API key, but one level deeper than `redact` searches. So `redact` does
  // not find the key.
  { a: { b: { c: { d: { e: { f: key } } } } } },
  circular,
])('`redact` returns a value unchanged if the value does not contain the API key: %s', (cause) => {
  expect(redact(cause)).toBe(cause);
});

const error = (more: object, message = 'failed') => Object.assign(new Error(message), more);
const request = new Request('https://store.example/v1/pets', { headers: { Authorization: key } });

test.each([
  ['has the key in its message', new Error(`failed: Bearer ${key}`)],
  ['has the key in its cause', new Error('failed', { cause: new Error(key) })],
  ['has the key in a member', error({ options: { headers: [['a', key]] } })],
  ['has the key in headers', error({ config: { headers: new Headers({ a: key }) } })],
  ['has the key in a request', error({ request })],
  ['has the key in a member with a symbol', error({ [Symbol('options')]: key })],
  ['has the key only in its stack', error({ message: 'failed' }, key)],
  ['is an object that contains the key', { a: { b: { c: { d: { e: key } } } } }],
  ['throws when it is inspected', new Proxy({}, { ownKeys: fail })],
  ['has no text', Object.assign(Object.create(null), { key })],
  ['has a message that is not a string', { message: {}, key }],
])('`redact` returns an error without the API key for a value that %s', (_what, cause) => {
  const redacted = redact(cause) as Error;
  expect(redacted).toBeInstanceOf(Error);
  expect(inspect(redacted, { depth: 20, showHidden: true })).not.toContain(key);
  expect(redacted.stack).not.toContain(key);
  if (cause instanceof Error) {
    expect(redacted.message).toBe(cause.message.replaceAll(key, '[API key]'));
    expect(redacted.stack).toBe(cause.stack?.replaceAll(key, '[API key]'));
  }
});

test('`redact` removes the API key from the request object of another library when the classes Request and Headers are missing', () => {
  class Headers {
    #fields = new Map([['authorization', `Bearer ${key}`]]);
    forEach(callback: (value: string, name: string) => void) {
      this.#fields.forEach(callback);
    }
  }
  class Request {
    #headers = new Headers();
    get headers() {
      return this.#headers;
    }
  }
  vi.stubGlobal('Request', undefined);
  vi.stubGlobal('Headers', undefined);
  expect(redact(error({ request: new Request() }))).toEqual(new Error('failed'));
  const harmless = error({ code: 'ECONNRESET' });
  expect(redact(harmless)).toBe(harmless);
});
