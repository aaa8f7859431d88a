import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { type CallOptions, useService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';
const page = 'https://shop.example';

/** The token of a key whose quota is used up. */
let deniedToken = '';

const service = useService('postgres', {
  env: { ADDRESS_PER_MINUTE: '1000000' },
  async prepare(db) {
    const quota = { perMinute: 1, perDay: 1 };
    deniedToken = (await createApiKey(db, { name: 'one', plan: 'enterprise', quota })).token;
  },
});
beforeAll(async () => {
  await service.call('/pets', { json: rex });
  await service.call('/pets', { token: deniedToken });
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

test.each<[status: number, path: string, options?: CallOptions]>([
  [200, '/pets'],
  [201, '/pets', { json: rex }],
  [400, '/pets?limit=0'],
  [401, '/pets', { token: null }],
  [404, '/nowhere'],
  [404, '/pets/9223372036854775807'],
  [405, '/pets', { method: 'DELETE' }],
  [413, '/pets', { json: ' '.repeat(20_000) }],
  [415, '/pets', { json: rex, headers: { 'Content-Type': 'text/plain' } }],
  [429, '/pets', { token: 'denied' }],
  [501, '/store/orders'],
])(
  'a %d has the headers of every response, may be read by any page, and names no software',
  async (status, path, options = {}) => {
    const token = options.token === 'denied' ? { token: deniedToken } : {};
    const headers = { ...options.headers, Origin: page };
    const answer = await service.call(path, { ...options, ...token, headers });
    expect(answer.status).toBe(status);
    expectResponseHeaders(answer);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(list(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(exposed);
    const none = ['X-Powered-By', 'Server', 'ETag', 'Set-Cookie'];
    for (const name of [...none, 'Access-Control-Allow-Credentials']) {
      expect(answer.headers.has(name), name).toBe(false);
    }
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

describe('X-Request-Id', () => {
  const idOf = ({ headers }: Answer) => headers.get('X-Request-Id');
  const send = (id: string) =>
    sendRawRequest(service, { line: 'GET /v1/pets HTTP/1.1', headers: [`X-Request-Id: ${id}`] });

  test('is generated for each request that has none', async () => {
    const ids = [idOf(await service.call('/pets')), idOf(await service.call('/pets'))];
    expect(ids[0]).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test.each(['a', 'request-1.2:3_4', 'x'.repeat(128)])(
    'is taken from the request: %s',
    async (id) => {
      expect(idOf(await send(id))).toBe(id);
    },
  );

  test.each(['', 'x'.repeat(129), 'two words', '<script>', 'a%0d%0ab', 'caf\xe9', 'a,b'])(
    'is not %j',
    async (id) => {
      expect(idOf(await send(id))).toMatch(/^[\da-f-]{36}$/);
    },
  );
});

describe('a deprecated operation', () => {
  const expectDeprecated = ({ headers }: Answer, successor: string) => {
    const since = /^@(\d{10})$/.exec(headers.get('Deprecation') ?? '')?.[1];
    expect(Number(since) * 1_000).toBeLessThan(Date.UTC(2030, 11, 5));
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    const link = headers.get('Link') ?? '';
    expect(link).toMatch(/<https?:\/\/[^>]+\/docs#deprecation>; rel="deprecation"/);
    expect(link).toContain(`<${service.server.baseUrl}${successor}>; rel="successor-version"`);
  };

  test.each<[status: number, path: string, successor: string, options?: CallOptions]>([
    [200, '/pets/1', '/pets?ids=1'],
    [200, '/pets/1', '/pets?ids=1', { method: 'HEAD' }],
    [200, '/pets/1?x=y', '/pets?ids=1'],
    [400, '/pets/x', '/pets'],
    [400, '/pets/1,2', '/pets'],
    [400, '/pets/1%0d%0aX-Evil:%20y', '/pets'],
    [400, '/pets/%ff', '/pets'],
    [401, '/pets/1', '/pets?ids=1', { token: null }],
    [401, '/pets/1', '/pets?ids=1', { token: 'wrong' }],
    [404, '/pets/-9223372036854775808', '/pets?ids=-9223372036854775808'],
  ])('says so on a %d of %s, with %s in its place', async (status, path, successor, options) => {
    const answer = await service.call(path, options);
    expect(answer.status).toBe(status);
    expectDeprecated(answer, successor);
  });

  test('says so on a 429', async () => {
    const answer = await service.call('/pets/1', { token: deniedToken });
    expectError(answer, 429, 'rate_limit_exceeded');
    expectDeprecated(answer, '/pets?ids=1');
  });

  test('has a successor that gives the same animal', async () => {
    const { text } = await service.call('/pets/1');
    expect((await service.call('/pets?ids=1')).text).toBe(`[${text}]`);
  });

  test.each<[string, CallOptions]>([
    ['/pets', {}],
    ['/pets', { json: rex }],
    ['/store/orders', {}],
    ['/nowhere', {}],
  ])('is not %s %j', async (path, options) => {
    const { headers } = await service.call(path, options);
    for (const name of ['Deprecation', 'Sunset', 'Link']) expect(headers.has(name)).toBe(false);
  });
});

describe('a preflight', () => {
  const own = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';
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

  test.each(['/pets', '/pets/1', '/store/orders', '/nowhere'])(
    'of %s is answered without a key',
    async (path) => {
      const answer = await preflight(path, 'authorization');
      expect([answer.status, answer.text]).toEqual([204, '']);
      expectResponseHeaders(answer);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST');
      expect(answer.headers.get('Access-Control-Max-Age')).toMatch(/^[1-9]\d*$/);
    },
  );

  test.each([
    ['what is asked for', 'authorization,traceparent,x-shop', 'authorization,traceparent,x-shop'],
    ['a list with spaces', 'x-a , x-b', 'x-a , x-b'],
    ['its own, if nothing is asked for', '', own],
    ['its own, if no names are asked for', 'x-a;b', own],
    ['its own, if too much is asked for', `x-${'a'.repeat(1_024)}`, own],
  ])('allows %s', async (_what, asked, allowed) => {
    const { headers } = await preflight('/pets', asked);
    expect(headers.get('Access-Control-Allow-Headers')).toBe(allowed);
    expect(list(headers.get('Vary'))).toContain('access-control-request-headers');
  });

  test.each([
    ['an Origin', { 'Access-Control-Request-Method': 'GET' }],
    ['a method asked for', { Origin: page }],
  ])('is no OPTIONS without %s', async (_what, headers) => {
    const answer = await service.call('/pets', { method: 'OPTIONS', token: null, headers });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([204, 'GET, POST, HEAD']);
    expect(answer.headers.has('Access-Control-Allow-Methods')).toBe(false);
  });
});

describe('with CORS_ORIGINS', () => {
  const narrow = useService('postgres', {
    env: { CORS_ORIGINS: `${page},https://other.example` },
  });
  const ask = (origin: string, method = 'GET') =>
    narrow.call('/pets', {
      method,
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });

  test.each([page, 'https://other.example'])('pages of %s may read', async (origin) => {
    const { headers } = await ask(origin);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin);
    expect(list(headers.get('Vary'))).toContain('origin');
  });

  test.each(['https://evil.example', `${page}.evil.example`, 'http://shop.example', 'null'])(
    'pages of %s may not',
    async (origin) => {
      for (const [method, status] of [
        ['GET', 200],
        ['OPTIONS', 204],
      ] as const) {
        const answer = await ask(origin, method);
        expect(answer.status).toBe(status);
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([]);
        expect(list(answer.headers.get('Vary'))).toContain('origin');
        expectResponseHeaders(answer);
      }
    },
  );
});
