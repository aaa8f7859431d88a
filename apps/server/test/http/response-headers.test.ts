import { beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { expectResponseHeaders } from '../support/expectations.ts';
import { sendRawRequest } from '../support/raw-http.ts';
import { type CallOptions, startService, useService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';
const page = 'https://shop.example';

/** A key whose quota is used up. */
const denied = { token: '' };

const service = useService('postgres', {
  env: { ADDRESS_PER_MINUTE: '1000000' },
  async prepare(db) {
    const quota = { perMinute: 1, perDay: 1 };
    denied.token = (await createApiKey(db, { name: 'one', plan: 'enterprise', quota })).token;
  },
});
beforeAll(async () => {
  await service.call('/pets', { json: rex });
  await service.call('/pets', denied);
});

/** A list in a header, in lower case. */
const list = (field: string | null) =>
  (field ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
    .sort();

const exposed = [
  ...['allow', 'deprecation', 'idempotent-replayed', 'link', 'location', 'ratelimit'],
  ...['ratelimit-policy', 'retry-after', 'sunset', 'www-authenticate', 'x-ratelimit-limit'],
  ...['x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'],
];

const id = '-9223372036854775808';

test.each<[status: number, path: string, options?: CallOptions, successor?: string]>([
  // All others: conformance.test.ts.
  [200, '/pets'],
  [401, '/pets', { token: null }],
  [404, '/nowhere'],
  [413, '/pets', { json: ' '.repeat(20_000) }],
  [429, '/pets', denied],
  // The deprecated operation says what to use in its place.
  [200, '/pets/1', {}, '?ids=1'],
  [200, '/pets/1?x=y', { method: 'HEAD' }, '?ids=1'],
  [400, '/pets/1,2', {}, ''],
  [400, '/pets/1%0d%0aX-Evil:%20y', {}, ''],
  [400, '/pets/%ff', {}, ''],
  [401, '/pets/1', { token: 'wrong' }, '?ids=1'],
  [404, `/pets/${id}`, {}, `?ids=${id}`],
  [429, '/pets/1', denied, '?ids=1'],
])(
  'a %d of %s %j has the headers of every response, may be read by any page, and names no software',
  async (status, path, options = {}, successor) => {
    const answer = await service.call(path, {
      ...options,
      headers: { ...options.headers, Origin: page },
    });
    const { headers } = answer;
    expect(answer.status).toBe(status);
    expectResponseHeaders(answer);
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(list(headers.get('Access-Control-Expose-Headers'))).toEqual(exposed);
    const none = ['X-Powered-By', 'Server', 'ETag', 'Set-Cookie'];
    for (const name of [...none, 'Access-Control-Allow-Credentials']) {
      expect(headers.has(name), name).toBe(false);
    }

    const isDeprecated = successor !== undefined;
    for (const name of ['Deprecation', 'Sunset', 'Link']) {
      expect(headers.has(name), name).toBe(isDeprecated);
    }
    if (!isDeprecated) return;
    const since = /^@(\d{10})$/.exec(headers.get('Deprecation') ?? '')?.[1];
    expect(Number(since) * 1_000).toBeLessThan(Date.UTC(2030, 11, 5));
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    const { origin, baseUrl } = service.server;
    expect(headers.get('Link')).toBe(
      `<${origin}/docs#deprecation>; rel="deprecation", <${baseUrl}/pets${successor}>; rel="successor-version"`,
    );
  },
);

test('a response is whole, plain JSON, whatever its request accepts or has already', async () => {
  const headers = ['Accept-Encoding: gzip, br', 'If-None-Match: *', 'Range: bytes=0-1'];
  for (const accept of ['text/html', 'application/json;q=0', '*/*;q=0', 'x']) {
    const answer = await sendRawRequest(service, {
      line: 'GET /v1/pets HTTP/1.1',
      headers: [...headers, `Accept: ${accept}`, `If-Modified-Since: ${new Date().toUTCString()}`],
    });
    expect([answer.status, answer.headers.get('Content-Encoding')]).toEqual([200, null]);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('Content-Length')).toBe(String(Buffer.byteLength(answer.text)));
  }
});

test('X-Request-Id is taken from the request if it is well-formed, and otherwise new', async () => {
  const idFor = async (...headers: string[]) =>
    (await sendRawRequest(service, { line: 'GET /v1/pets HTTP/1.1', headers })).headers.get(
      'X-Request-Id',
    );
  for (const id of ['a', 'request-1.2:3_4', 'x'.repeat(128)]) {
    expect(await idFor(`X-Request-Id: ${id}`)).toBe(id);
  }
  const others = ['', 'x'.repeat(129), 'two words', '<script>', 'a%0d%0ab', 'caf\xe9', 'a,b'];
  // A client may have put its API key there.
  const made = [await idFor(), await idFor(`X-Request-Id: ${service.tokens.free}`)];
  for (const id of others) made.push(await idFor(`X-Request-Id: ${id}`));
  for (const id of made) expect(id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
});

const preflight = (path: string, asked: string) =>
  service.call(path, {
    method: 'OPTIONS',
    token: null,
    headers: {
      Origin: page,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': asked,
    },
  });

const own = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

test.each([
  ['/pets', 'authorization,traceparent,x-shop', 'authorization,traceparent,x-shop'],
  ['/pets/1', 'x-a , x-b', 'x-a , x-b'],
  // Its own, if nothing, no names, or too much is asked for.
  ['/nowhere', '', own],
  ['/pets', 'x-a;b', own],
  ['/pets', `x-${'a'.repeat(1_024)}`, own],
])(
  'a preflight of %s for %j is answered without a key, and allows %j',
  async (path, asked, allowed) => {
    const answer = await preflight(path, asked);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectResponseHeaders(answer);
    const allow = (name: string) => answer.headers.get(`Access-Control-${name}`);
    expect(allow('Allow-Origin')).toBe('*');
    expect(allow('Allow-Methods')).toBe('GET, HEAD, POST');
    expect(allow('Max-Age')).toMatch(/^[1-9]\d*$/);
    expect(allow('Allow-Headers')).toBe(allowed);
    expect(list(answer.headers.get('Vary'))).toContain('access-control-request-headers');
  },
);

test.each([
  ['an Origin', { 'Access-Control-Request-Method': 'GET' }],
  ['a method asked for', { Origin: page }],
])('an OPTIONS without %s is no preflight', async (_what, headers) => {
  const answer = await service.call('/pets', { method: 'OPTIONS', token: null, headers });
  expect([answer.status, answer.headers.get('Allow')]).toEqual([204, 'GET, HEAD, POST']);
  expect(answer.headers.has('Access-Control-Allow-Methods')).toBe(false);
});

test('with CORS_ORIGINS only pages of these may read', async () => {
  const origins = [page, 'https://other.example'];
  await using narrow = await startService('postgres', { env: { CORS_ORIGINS: String(origins) } });
  const others = ['https://evil.example', `${page}.evil.example`, 'http://shop.example', 'null'];
  for (const origin of [...origins, ...others]) {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      const answer = await narrow.call('/pets', { method, headers });
      expect(answer.status).toBe(method === 'GET' ? 200 : 204);
      expectResponseHeaders(answer);
      expect(list(answer.headers.get('Vary'))).toContain('origin');
      const isAllowed = origins.includes(origin);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(isAllowed ? origin : null);
      const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-'));
      expect(names.length > 0).toBe(isAllowed);
    }
  }
});
