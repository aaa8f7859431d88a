import { beforeAll, describe, expect, test } from 'vitest';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { rawRequest, sendRaw, sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const service = useService('postgres');
beforeAll(async () => {
  await service.call('/pets', { json: rex });
});

/** Sends a target as it is: clients resolve and escape it. */
const raw = (target: string, method = 'GET') =>
  sendRawRequest(service, { line: `${method} ${target} HTTP/1.1` });

test.each([
  ...['/pets', '/pets?limit=1', '/pets?ids=1', '/pets/1', '/pets/999', '/pets/x'],
  ...['/store/orders', '/nowhere'],
])('HEAD of %s answers as GET does, without the body', async (path) => {
  const get = await service.call(path);
  const head = await service.call(path, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([get.status, '']);
  const lasting = ({ headers }: Answer) =>
    [...headers].filter(
      ([name]) => !/^(?:x-)?ratelimit|^x-request-id$|^date$|^connection$|^keep-alive$/.test(name),
    );
  expect(lasting(head)).toEqual(lasting(get));
  expect(head.headers.get('Content-Length')).toBe(String(Buffer.byteLength(get.text)));
});

test('HEAD sends no body before the next response on the connection', async () => {
  const headers = ['Host: a', `Authorization: Bearer ${service.tokens.enterprise}`];
  const body = rawRequest({ line: 'GET /v1/pets/1 HTTP/1.1', headers });
  const bytes = rawRequest({ line: 'HEAD /v1/pets HTTP/1.1', headers, body });
  const [head, next] = await sendRaw(service.server.origin, bytes, { answers: 2 });
  expect(head?.status).toBe(200);
  expect(next?.body).toMatchObject({ id: 1 });
});

describe.each([
  ['/pets', ['DELETE', 'PUT', 'PATCH', 'QUERY', 'PROPFIND'], 'GET, HEAD, POST'],
  ['/pets/1', ['DELETE', 'PUT', 'PATCH', 'POST'], 'GET, HEAD'],
  ['/pets/%ff', ['DELETE'], 'GET, HEAD'],
  ['/rate-limit', ['POST'], 'GET, HEAD'],
  ['/store/orders', ['DELETE', 'PUT', 'PATCH', 'POST'], 'GET, HEAD'],
])('%s', (path, methods, allow) => {
  test.each(methods)('%s is answered with 405 and the methods that it has', async (method) => {
    const answer = await raw(`/v1${path}`, method);
    expectError(answer, 405, 'method_not_allowed', /^method: expected one of /);
    expect(answer.headers.get('Allow')?.split(', ').sort().join(', ')).toBe(allow);
  });

  test('OPTIONS is answered with 204 and the methods that it has, without a key', async () => {
    const answer = await service.call(path, { method: 'OPTIONS', token: null });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('Allow')?.split(', ').sort().join(', ')).toBe(allow);
    expectResponseHeaders(answer);
  });
});

test('OPTIONS of an unknown path needs a key, and is 404', async () => {
  const options = { method: 'OPTIONS' };
  expectError(await service.call('/nowhere', { ...options, token: null }), 401, 'unauthorized');
  expectError(await service.call('/nowhere', options), 404, 'not_found');
});

test('a method that a path does not have changes nothing, nor does an overriding header', async () => {
  const allPets = () => listAll(service.server, service.tokens.enterprise);
  const before = await allPets();
  await service.call('/pets/1', { method: 'DELETE', json: rex });
  const headers = { 'X-HTTP-Method-Override': 'DELETE' };
  expect((await service.call('/pets/1?_method=DELETE', { headers })).status).toBe(200);
  expect(await allPets()).toEqual(before);
});

test.each([
  ...[
    '',
    '/',
    '/nowhere',
    '/pets/',
    '//pets',
    '/pets//1',
    '/pets/1/',
    '/pets/1/2',
    '/Pets',
    '/pet',
  ],
  ...['/pets.json', '/store', '/store/orders/', '/store/orders/1', '/v1/pets', '/admin', '/.env'],
  ...['/constructor', '/nowhere/%ff'],
  // Neither resolved to another path, nor decoded further than letters.
  ...['/../pets', '/./pets', '/pets/../pets', '/%2e%2e/pets', '/pets/%2e%2e/pets'],
  ...['/p%2565ts', '/pets%2F1', '/%70ets%2f1', '/pets%3Fids=1', '/pets%20', '/%50ets', '/pets;a=b'],
])('%j under /v1 is not found', async (path) => {
  expectError(await raw(`/v1${path}`), 404, 'not_found');
});

test.each(['/', '/pets', '/v2/pets', '/v10/pets', '/V1/pets', '//v1/pets', '/x/../v1/pets'])(
  '%s outside /v1 is a 404 in JSON, too',
  async (path) => {
    const answer = await raw(path);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', status: 404 } });
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  },
);

// Express fails while it matches such a path, before any step of the route.
test.each(['%ff', '%', '%2', '%zz', '%c0%80', '%ed%a0%80'])(
  'a path with %s, which cannot be decoded, is counted like every other request',
  async (segment) => {
    const remaining = ({ headers }: Answer) => Number(headers.get('X-RateLimit-Remaining'));
    const before = await service.call('/pets');
    const answer = await raw(`/v1/pets/${segment}?limit=%ff`);
    expectError(answer, 400, 'invalid_request', /^path: expected valid percent-encoding of UTF-8$/);
    expect(remaining(answer)).toBe(remaining(before) - 1);
  },
);

// RFC 3986, §6.2.2.2
test.each([
  ['/v1/p%65ts?ids=1', '/pets?ids=1'],
  ['/v1/%70%65%74%73/%31', '/pets/1'],
  ['/v1/store/%6frders', '/store/orders'],
  ['/v1/store/%6Frders', '/store/orders'],
  ['/v1/r%61te%2Dlimit/', '/rate-limit/'],
  ['/%761/pets?ids=1', '/pets?ids=1'],
])('%s, with percent-encoded letters, is the same path', async (target, plain) => {
  const [answer, expected] = [await raw(target), await service.call(plain)];
  expect([answer.status, answer.text]).toEqual([expected.status, expected.text]);
  expect(answer.headers.get('Link')).toBe(expected.headers.get('Link'));
});

test.each(['', '?limit=0', '?status=sold'])(
  'GET /store/orders%s is answered with 501',
  async (query) => {
    expectError(await service.call(`/store/orders${query}`), 501, 'not_implemented');
  },
);
