import { beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { type CallOptions, startService, useService } from '../support/test-service.ts';

// `hostile-requests.test.ts` tests which spellings of a path are accepted.

const page = 'https://shop.example';

/** Options of a request with an API key that has no requests left in its quota. */
const denied = { token: '' };

const service = useService('postgres', {
  quotas: { addressPerMinute: 1_000_000 },
  async prepare(db) {
    const quota = { perMinute: 1, perDay: 1 };
    denied.token = (await createApiKey(db, { name: 'one', plan: 'enterprise', quota })).token;
  },
});
beforeAll(async () => {
  await service.call('/pets', { json: '{"name":"Rex","categoryId":1}' });
  await service.call('/pets', denied);
});

const exposed = [
  ...['allow', 'deprecation', 'idempotent-replayed', 'link', 'location', 'ratelimit'],
  ...['ratelimit-policy', 'retry-after', 'sunset', 'www-authenticate', 'x-ratelimit-limit'],
  ...['x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'],
];

/**
 * Returns the headers of a response, except headers that differ in each response: dates, ids and
 * quotas.
 */
const lasting = ({ headers }: Answer) =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) => !/^(?:(?:x-)?ratelimit.*|x-request-id|date|connection|keep-alive)$/.test(name),
    ),
  );

const id = '-9223372036854775808';

// `conformance.test.ts` tests all other responses.
test.each<[status: number, path: string, options?: CallOptions, successor?: string]>([
  [200, '/pets'],
  [404, '/nowhere'],
  [413, '/pets', { json: ' '.repeat(20_000) }],
  [429, '/pets', denied],
  // In the following rows, the operation is deprecated. The last value is the path of the operation
  // that replaces it.
  [200, '/pets/1?x=y', { method: 'HEAD' }, '?ids=1'],
  [400, '/pets/1,2', {}, ''],
  [400, '/pets/%ff', {}, ''],
  [401, '/pets/1', { token: 'wrong' }, '?ids=1'],
  [404, `/pets/${id}`, {}, `?ids=${id}`],
  [429, '/pets/1', denied, '?ids=1'],
])(
  'the response with status %d to %s %j has the common headers, and no header that names the server software',
  async (status, path, options = {}, successor) => {
    const answer = await service.call(path, { ...options, headers: { Origin: page } });
    const { headers } = answer;
    expect(answer.status).toBe(status);
    expectResponseHeaders(answer);
    const names = headers.get('Access-Control-Expose-Headers')?.toLowerCase().split(', ');
    expect(names?.sort()).toEqual(exposed);
    const { origin, baseUrl } = service.server;
    const deprecation = successor !== undefined && {
      deprecation: '@1795219200',
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: `<${origin}/docs#deprecation>; rel="deprecation", <${baseUrl}/pets${successor}>; rel="successor-version"`,
    };
    expect(lasting(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.anything(),
      'cache-control': 'no-store',
      'content-length': expect.anything(),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...(status === 401 && { 'www-authenticate': expect.stringMatching(/^Bearer /) }),
      ...(status === 429 && { 'retry-after': expect.stringMatching(/^\d+$/) }),
      ...deprecation,
    });
  },
);

test('a response has the X-Request-Id of its request if this header is well-formed, and otherwise a new X-Request-Id', async () => {
  const idFor = async (...headers: string[]) => {
    const answer = await sendRawRequest(service, { line: 'GET /v1/pets HTTP/1.1', headers });
    return answer.headers.get('X-Request-Id');
  };
  for (const id of ['a', 'request-1.2:3_4', 'x'.repeat(128)]) {
    expect(await idFor(`X-Request-Id: ${id}`)).toBe(id);
  }
  // The last text is an API key that a client has put into the wrong header by mistake. The service
  // must not repeat the key.
  const others = ['', 'x'.repeat(129), 'two words', 'caf\xe9', 'a,b', service.tokens.free];
  const made = [await idFor()];
  for (const id of others) made.push(await idFor(`X-Request-Id: ${id}`));
  for (const id of made) expect(id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
});

test.each(['/pets?limit=1', '/pets/1', '/pets/x', '/rate-limit', '/store/orders', '/x'])(
  'the response to HEAD %s has the headers of the response to GET and no body',
  async (path) => {
    const get = await service.call(path);
    const head = await service.call(path, { method: 'HEAD' });
    expect([head.status, head.text, lasting(head)]).toEqual([get.status, '', lasting(get)]);
  },
);

test.each([
  ['/pets', ['DELETE', 'PATCH', 'QUERY', 'PROPFIND'], 'GET, HEAD, POST'],
  ['/pets/1', ['DELETE', 'PUT', 'POST'], 'GET, HEAD'],
  ['/pets/%ff', ['DELETE'], 'GET, HEAD'],
  ['/rate-limit', ['POST'], 'GET, HEAD'],
  ['/store/orders', ['DELETE'], 'GET, HEAD'],
])(
  'the path %s refuses the methods %s with 405 and lists the allowed methods',
  async (path, methods, allow) => {
    for (const method of methods) {
      const answer = await service.call(path, { method });
      expectError(answer, 405, 'method_not_allowed', /^method: expected one of /);
      expect(answer.headers.get('Allow')).toBe(allow);
    }
    // OPTIONS requests with only one of the two CORS headers are not preflights.
    for (const headers of [{ Origin: page }, { 'Access-Control-Request-Method': 'GET' }]) {
      const options = await service.call(path, { method: 'OPTIONS', token: null, headers });
      expect(options).toMatchObject({ status: 204, text: '' });
      expectResponseHeaders(options);
      expect(options.headers.get('Allow')).toBe(allow);
      expect(options.headers.has('Access-Control-Allow-Methods')).toBe(false);
    }
  },
);

const own = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

test.each([
  ['/pets', 'authorization,traceparent,x-shop', 'authorization,traceparent,x-shop'],
  ['/pets/1', 'x-a , x-b', 'x-a , x-b'],
  // If the preflight asks for no headers, for invalid names or for too many names, the response
  // allows the headers that the API itself uses.
  ['/nowhere', '', own],
  ['/pets', 'x-a;b', own],
  ['/pets', `x-${'a'.repeat(1_024)}`, own],
])(
  'the service responds to a CORS preflight of %s without an API key, and when the preflight requests the headers %j, it allows %j',
  async (path, requested, allowed) => {
    const answer = await service.call(path, {
      method: 'OPTIONS',
      token: null,
      headers: {
        Origin: page,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': requested,
      },
    });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expectResponseHeaders(answer);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': allowed,
      'access-control-max-age': '7200',
      vary: 'Access-Control-Request-Headers',
    });
  },
);

test('the service allows only web pages from CORS_ORIGINS to read its responses', async () => {
  const origins = [page, 'https://other.example'];
  await using narrow = await startService('postgres', { api: { corsOrigins: new Set(origins) } });
  const others = ['https://evil.example', `${page}.evil.example`, 'http://shop.example', 'null'];
  for (const origin of [...origins, ...others]) {
    const isAllowed = origins.includes(origin);
    for (const [method, status] of [
      ['GET', 200],
      ['OPTIONS', 204],
    ] as const) {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      const answer = await narrow.call('/pets', { method, headers });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('Vary')).toMatch(/^Origin\b/);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(isAllowed ? origin : null);
      expect(/"access-/.test(JSON.stringify([...answer.headers]))).toBe(isAllowed);
    }
  }
});
