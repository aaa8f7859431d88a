import { beforeAll, expect, test } from 'vitest';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { rawRequest, sendRaw, sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

// Which paths are there, however they are written, is tested in hostile-requests.test.ts.

const service = useService('postgres');
beforeAll(async () => {
  await service.call('/pets', { json: '{"name":"Rex","categoryId":1}' });
});

/** The headers that do not change from one request to the next. */
const lasting = ({ headers }: Answer) =>
  [...headers].filter(
    ([name]) => !/^(?:x-)?ratelimit|^x-request-id$|^date$|^connection$|^keep-alive$/.test(name),
  );
const allowed = ({ headers }: Answer) => headers.get('Allow')?.split(', ');

test('HEAD answers as GET does, without the body', async () => {
  const paths = ['/pets?limit=1', '/pets/1', '/pets/999', '/pets/x', '/rate-limit'];
  for (const path of [...paths, '/store/orders', '/x']) {
    const get = await service.call(path);
    const head = await service.call(path, { method: 'HEAD' });
    expect([head.status, head.text, lasting(head)]).toEqual([get.status, '', lasting(get)]);
    expect(head.headers.get('Content-Length')).toBe(String(Buffer.byteLength(get.text)));
  }
  // Nor before the next response on the connection.
  const headers = ['Host: a', `Authorization: Bearer ${service.tokens.enterprise}`];
  const body = rawRequest({ line: 'GET /v1/pets/1 HTTP/1.1', headers });
  const bytes = rawRequest({ line: 'HEAD /v1/pets HTTP/1.1', headers, body });
  const [head, next] = await sendRaw(service.server.origin, bytes, { answers: 2 });
  expect(head?.status).toBe(200);
  expect(next?.body).toMatchObject({ id: 1 });
});

test.each([
  ['/pets', ['DELETE', 'PUT', 'PATCH', 'QUERY', 'PROPFIND'], ['GET', 'HEAD', 'POST']],
  ['/pets/1', ['DELETE', 'PUT', 'PATCH', 'POST'], ['GET', 'HEAD']],
  ['/pets/%ff', ['DELETE'], ['GET', 'HEAD']],
  ['/rate-limit', ['POST'], ['GET', 'HEAD']],
  ['/store/orders', ['DELETE', 'POST'], ['GET', 'HEAD']],
])('%s has no %s: it tells which methods it has', async (path, methods, allow) => {
  for (const method of methods) {
    const answer = await sendRawRequest(service, { line: `${method} /v1${path} HTTP/1.1` });
    expectError(answer, 405, 'method_not_allowed', /^method: expected one of /);
    expect(allowed(answer)).toEqual(allow);
  }
  // Without a key.
  const options = await service.call(path, { method: 'OPTIONS', token: null });
  expect([options.status, options.text, allowed(options)]).toEqual([204, '', allow]);
  expectResponseHeaders(options);
});

test('a method that a path does not have changes nothing, nor does an overriding header', async () => {
  await service.call('/pets/1', { method: 'DELETE' });
  const headers = { 'X-HTTP-Method-Override': 'DELETE' };
  expect((await service.call('/pets/1?_method=DELETE', { headers })).status).toBe(200);
  expect((await listAll(service.server, service.tokens.enterprise)).size).toBe(1);
});
