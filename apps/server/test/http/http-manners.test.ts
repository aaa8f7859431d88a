import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyRepository } from '../../src/keys/key-repository.ts';
import { expectError, expectManners } from '../support/expectations.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import {
  type Answer,
  type CallOptions,
  startService,
  type TestService,
} from '../support/service.ts';

const rex = '{"name":"Rex","categoryId":1}';
const origin = 'https://shop.example';

let service: TestService;
/** A key whose quota is used up. */
let deniedToken = '';

beforeAll(async () => {
  service = await startService('embedded', {
    env: { ADDRESS_PER_MINUTE: '100000' },
    async prepare(db) {
      const quota = { perMinute: 1, perDay: 1 };
      const key = await createKeyRepository(db).create({ name: 'one', plan: 'enterprise', quota });
      deniedToken = key.token;
    },
  });
  await service.call('/pets', { json: rex });
  await service.call('/pets', { token: deniedToken });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Sends header lines and a body as they are, with the Enterprise key. */
async function raw(line: string, headers: readonly string[] = [], body = ''): Promise<Answer> {
  const [answer] = await sendRaw(
    service.server.origin,
    rawRequest({
      line,
      headers: ['Host: a', `Authorization: Bearer ${service.tokens.enterprise}`, ...headers],
      body,
    }),
  );
  if (answer === undefined) throw new Error('No answer came.');
  return answer;
}

const post = (headers: readonly string[], body: string) =>
  raw('POST /v1/pets HTTP/1.1', [...headers, `Content-Length: ${Buffer.byteLength(body)}`], body);
const petCount = async () => ((await service.call('/pets?limit=100')).body as unknown[]).length;

describe('HEAD', () => {
  test.each([
    '/pets',
    '/pets?limit=1',
    '/pets/1',
    '/pets/999',
    '/pets/x',
    '/store/orders',
    '/nowhere',
  ])('of %s answers as GET does, without the body', async (path) => {
    const get = await service.call(path);
    const head = await service.call(path, { method: 'HEAD' });
    expect(head.status).toBe(get.status);
    expect(head.text).toBe('');
    const lasting = ({ headers }: Answer) =>
      [...headers].filter(
        ([name]) => !/^(?:x-)?ratelimit|^x-request-id$|^date$|^connection$|^keep-alive$/.test(name),
      );
    expect(lasting(head)).toEqual(lasting(get));
    expect(head.headers.get('Content-Length')).toBe(String(Buffer.byteLength(get.text)));
  });

  test('is followed by nothing on the wire but the next answer', async () => {
    const headers = ['Host: a', `Authorization: Bearer ${service.tokens.enterprise}`];
    const get = rawRequest({ line: 'GET /v1/pets/1 HTTP/1.1', headers });
    const [head, next] = await sendRaw(
      service.server.origin,
      rawRequest({ line: 'HEAD /v1/pets HTTP/1.1', headers, body: get }),
      { answers: 2 },
    );
    expect(head?.status).toBe(200);
    expect(next?.body).toMatchObject({ id: 1 });
  });
});

describe('another method on a known path', () => {
  const cases = [
    ['/pets', ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'QUERY', 'PROPFIND'], 'GET, HEAD, POST'],
    ['/pets/1', ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'POST'], 'GET, HEAD'],
    ['/pets/x', ['DELETE'], 'GET, HEAD'],
    ['/store/orders', ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'POST'], 'GET, HEAD'],
  ] as const;

  test.each(
    cases.flatMap(([path, methods, allow]) =>
      methods.map((method) => [method, path, allow] as const),
    ),
  )('%s %s is answered with 405 and Allow: %s', async (method, path, allow) => {
    const answer = await raw(`${method} /v1${path} HTTP/1.1`);
    expectError(answer, 405, 'method_not_allowed', /^method: expected one of /);
    expect(answer.headers.get('Allow')?.split(', ').sort()).toEqual(allow.split(', '));
  });

  test('changes nothing', async () => {
    const before = (await service.call('/pets')).text;
    for (const method of ['DELETE', 'PUT', 'PATCH']) {
      for (const path of ['/pets', '/pets/1']) {
        const answer = await service.call(path, { method, json: rex });
        expectError(answer, 405, 'method_not_allowed');
      }
    }
    expect((await service.call('/pets')).text).toBe(before);
  });

  test('is not had by X-HTTP-Method-Override', async () => {
    const before = await petCount();
    const answer = await service.call('/pets?_method=DELETE', {
      headers: { 'X-HTTP-Method-Override': 'DELETE' },
    });
    expect(answer.status).toBe(200);
    expect(await petCount()).toBe(before);
  });
});

describe('404', () => {
  test.each([
    '',
    '/',
    '/nowhere',
    '/pets/',
    '//pets',
    '/pets//1',
    '/pets/1/',
    '/pets/1/2',
    '/Pets',
    '/pets.json',
    '/pet',
    '/store',
    '/store/orders/',
    '/store/orders/1',
    '/v1/pets',
    '/admin',
    '/%70ets%2f1',
    '/.env',
    '/constructor',
  ])('%j under /v1 is no path', async (path) => {
    expectError(await raw(`GET /v1${path} HTTP/1.1`), 404, 'not_found');
  });

  test('of an animal has a code of its own', async () => {
    expectError(await service.call('/pets/999'), 404, 'pet_not_found', /999/);
  });

  test.each(['/', '/pets', '/v2/pets', '/v10/pets', '/V1/pets', '//v1/pets', '/favicon.ico'])(
    '%s outside /v1 is JSON, too',
    async (path) => {
      const answer = await raw(`GET ${path} HTTP/1.1`);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
      expect(answer.body).toStrictEqual({
        code: 'not_found',
        message: expect.any(String),
        status: 404,
      });
    },
  );

  test.each(['/../pets', '/./pets', '/pets/../pets', '/%2e%2e/pets'])(
    '%s is not resolved to another path',
    async (path) => {
      expectError(await raw(`GET /v1${path} HTTP/1.1`), 404, 'not_found');
    },
  );
});

describe('413', () => {
  const padded = (bytes: number) => rex + ' '.repeat(bytes - rex.length);
  const json = 'Content-Type: application/json';

  test('16 kB are accepted', async () => {
    expect((await post([json], padded(16_384))).status).toBe(201);
  });

  test('one byte more is too large, and creates nothing', async () => {
    const before = await petCount();
    expectError(await post([json], padded(16_385)), 413, 'payload_too_large', /16384 bytes/);
    expect(await petCount()).toBe(before);
  });

  test('bytes are counted, not characters', async () => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 1, note: '🐕'.repeat(4_096) });
    const answer = await service.call('/pets', { json: body });
    expectError(answer, 413, 'payload_too_large');
  });

  test('an announced length is believed before the body has come', async () => {
    const answer = await raw('POST /v1/pets HTTP/1.1', [json, 'Content-Length: 1000000000']);
    expectError(answer, 413, 'payload_too_large');
  });

  test('a chunked body is counted as it comes', async () => {
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const answer = await raw(
      'POST /v1/pets HTTP/1.1',
      [json, 'Transfer-Encoding: chunked'],
      chunk.repeat(5),
    );
    expectError(answer, 413, 'payload_too_large');
  });

  test('a client that is still sending reads the answer', async () => {
    const answer = await service.call('/pets', { json: padded(1_000_000) });
    expectError(answer, 413, 'payload_too_large');
  });
});

describe('415', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; profile="x"',
  ])('%s is JSON', async (type) => {
    expect((await post([`Content-Type: ${type}`], rex)).status).toBe(201);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/octet-stream',
    'application/jsonp',
    'application/json-patch+json',
    'application',
    'json',
    '*/*',
    '',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
  ])('%j is not', async (type) => {
    const before = await petCount();
    const answer = await post([`Content-Type: ${type}`], rex);
    expectError(answer, 415, 'unsupported_media_type', /^Content-Type: expected application\/json/);
    expect(await petCount()).toBe(before);
  });

  test('a body without a type is refused', async () => {
    expectError(await post([], rex), 415, 'unsupported_media_type', /^Content-Type: /);
  });

  test.each(['gzip', 'deflate', 'br', 'x-unknown', 'identity, gzip'])(
    'the content encoding %s is refused',
    async (encoding) => {
      const headers = ['Content-Type: application/json', `Content-Encoding: ${encoding}`];
      const answer = await post(headers, rex);
      expectError(answer, 415, 'unsupported_media_type', /^Content-Encoding: expected none/);
    },
  );

  test('the content encoding identity is none', async () => {
    const headers = ['Content-Type: application/json', 'Content-Encoding: identity'];
    expect((await post(headers, rex)).status).toBe(201);
  });

  test('no body at all is 400, with or without a type', async () => {
    const typed = await post(['Content-Type: application/json'], '');
    expectError(typed, 400, 'invalid_request', /^body: expected a JSON object/);
    expectError(await post([], ''), 400, 'invalid_request', /^body: expected a JSON object/);
    expectError(await raw('POST /v1/pets HTTP/1.1'), 400, 'invalid_request', /^body: /);
  });

  test('what the client accepts does not matter: the answer is JSON', async () => {
    for (const accept of ['text/html', 'application/xml', 'application/json;q=0', '*/*;q=0', 'x']) {
      const answer = await service.call('/pets/999', { headers: { Accept: accept } });
      expectError(answer, 404, 'pet_not_found');
    }
  });

  test('a body on GET is ignored', async () => {
    const answer = await raw('GET /v1/pets?limit=1 HTTP/1.1', ['Content-Length: 1'], '{');
    expect(answer.status).toBe(200);
  });
});

describe('X-Request-Id', () => {
  test('is made where the client sends none, another one each time', async () => {
    const ids = [await service.call('/pets'), await service.call('/pets')].map(({ headers }) =>
      headers.get('X-Request-Id'),
    );
    expect(ids[0]).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test.each(['a', 'request-1.2:3_4', 'x'.repeat(128)])(
    'is the one of the client: %s',
    async (id) => {
      const answer = await service.call('/pets/999', { headers: { 'X-Request-Id': id } });
      expect(answer.headers.get('X-Request-Id')).toBe(id);
    },
  );

  test.each(['', 'x'.repeat(129), 'two words', '<script>', 'a%0d%0ab', 'caf\xe9', 'a,b'])(
    'is not %j',
    async (id) => {
      const answer = await raw('GET /v1/pets HTTP/1.1', [`X-Request-Id: ${id}`]);
      expectManners(answer);
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
    },
  );
});

describe('every answer', () => {
  const answers: readonly [string, string, CallOptions][] = [
    ['200', '/pets', {}],
    ['201', '/pets', { json: rex }],
    ['400', '/pets?limit=0', {}],
    ['401', '/pets', { token: null }],
    ['404', '/nowhere', {}],
    ['405', '/pets', { method: 'DELETE' }],
    ['413', '/pets', { json: ' '.repeat(20_000) }],
    ['415', '/pets', { json: rex, headers: { 'Content-Type': 'text/plain' } }],
    ['501', '/store/orders', {}],
  ];

  test.each(answers)('%s is not stored, not sniffed and named', async (status, path, options) => {
    const answer = await service.call(path, options);
    expect(answer.status).toBe(Number(status));
    expectManners(answer);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  test.each(answers)(
    '%s does not tell what the server is made of',
    async (_status, path, options) => {
      const { headers } = await service.call(path, options);
      for (const name of ['X-Powered-By', 'Server', 'ETag', 'Set-Cookie']) {
        expect(headers.has(name), name).toBe(false);
      }
    },
  );

  test('is not compressed', async () => {
    const answer = await raw('GET /v1/pets HTTP/1.1', ['Accept-Encoding: gzip, br']);
    expect(answer.headers.has('Content-Encoding')).toBe(false);
    expect(answer.headers.get('Content-Length')).toBe(String(Buffer.byteLength(answer.text)));
  });

  test('is whole, whatever the client has stored', async () => {
    const headers = { 'If-None-Match': '*', 'If-Modified-Since': new Date().toUTCString() };
    expect((await service.call('/pets', { headers })).status).toBe(200);
  });
});

describe('CORS', () => {
  const exposed = [
    'deprecation',
    'idempotent-replayed',
    'link',
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
    'sunset',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-request-id',
  ];
  const list = (field: string | null) =>
    (field ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .sort();
  const preflight = (path: string, method = 'POST') =>
    service.call(path, {
      method: 'OPTIONS',
      token: null,
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    });

  test.each<[string, string, CallOptions]>([
    ['200', '/pets', {}],
    ['201', '/pets', { json: rex }],
    ['400', '/pets?limit=0', {}],
    ['401', '/pets', { token: null }],
    ['404', '/pets/999', {}],
    ['405', '/pets', { method: 'DELETE' }],
    ['413', '/pets', { json: ' '.repeat(20_000) }],
  ])('a page of any origin may read a %s and its headers', async (status, path, options) => {
    const answer = await service.call(path, {
      ...options,
      headers: { ...options.headers, Origin: origin },
    });
    expect(answer.status).toBe(Number(status));
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(list(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(exposed);
    expect(answer.headers.has('Access-Control-Allow-Credentials')).toBe(false);
  });

  test('a page may read a 429, or it would not know how long to wait', async () => {
    const answer = await service.call('/pets', { token: deniedToken, headers: { Origin: origin } });
    expectError(answer, 429, 'rate_limit_exceeded');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(list(answer.headers.get('Access-Control-Expose-Headers'))).toEqual(exposed);
  });

  test.each(['/pets', '/pets/1', '/store/orders', '/nowhere'])(
    'the preflight of %s is answered without a key',
    async (path) => {
      const answer = await preflight(path);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expectManners(answer);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(list(answer.headers.get('Access-Control-Allow-Methods'))).toEqual(
        expect.arrayContaining(['get', 'head', 'post']),
      );
      expect(list(answer.headers.get('Access-Control-Allow-Headers'))).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']),
      );
      expect(answer.headers.get('Access-Control-Max-Age')).toMatch(/^[1-9]\d*$/);
    },
  );

  test.each([
    ['without an Origin', { 'Access-Control-Request-Method': 'GET' }],
    ['without a method asked for', { Origin: origin }],
  ])('OPTIONS %s is no preflight, and needs a key', async (_what, headers) => {
    const answer = await service.call('/pets', { method: 'OPTIONS', token: null, headers });
    expectError(answer, 401, 'unauthorized');
  });

  describe('of certain origins (CORS_ORIGINS)', () => {
    let narrow: TestService;
    beforeAll(async () => {
      narrow = await startService('embedded', {
        env: { CORS_ORIGINS: `${origin},https://other.example` },
      });
    });
    afterAll(() => narrow[Symbol.asyncDispose]());

    test.each([origin, 'https://other.example'])('allows %s', async (allowed) => {
      const { headers } = await narrow.call('/pets', { headers: { Origin: allowed } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe(allowed);
      expect(list(headers.get('Vary'))).toContain('origin');
    });

    test.each(['https://evil.example', `${origin}.evil.example`, 'http://shop.example', 'null'])(
      'does not allow %s',
      async (refused) => {
        const { headers, status } = await narrow.call('/pets', { headers: { Origin: refused } });
        expect(status).toBe(200);
        expect(headers.has('Access-Control-Allow-Origin')).toBe(false);
        expect(list(headers.get('Vary'))).toContain('origin');
      },
    );

    test('does not answer the preflight of another origin with leave', async () => {
      const answer = await narrow.call('/pets', {
        method: 'OPTIONS',
        token: null,
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      expectManners(answer);
      expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false);
      expect(answer.headers.has('Access-Control-Allow-Methods')).toBe(false);
    });
  });
});

describe('deprecation', () => {
  const expectDeprecated = ({ headers }: Answer) => {
    expect(headers.get('Deprecation')).toMatch(/^@\d{10}$/);
    expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    const link = headers.get('Link') ?? '';
    expect(link).toMatch(/<https?:\/\/[^>]+>; rel="deprecation"/);
    const { port } = new URL(service.server.origin);
    expect(link).toContain(`<http://localhost:${port}/v1/pets>; rel="successor-version"`);
  };

  test.each<[string, string, CallOptions]>([
    ['200', '/pets/1', {}],
    ['200 to HEAD', '/pets/1', { method: 'HEAD' }],
    ['200 with a query', '/pets/1?x=y', {}],
    ['400', '/pets/x', {}],
    ['400 of percent-encoding', '/pets/%ff', {}],
    ['401 without a key', '/pets/1', { token: null }],
    ['401 with a wrong key', '/pets/1', { token: 'wrong' }],
    ['404', '/pets/999', {}],
  ])('is told on a %s of GET /pets/{petId}', async (status, path, options) => {
    const answer = await service.call(path, options);
    expect(answer.status).toBe(Number.parseInt(status, 10));
    expectDeprecated(answer);
  });

  test('is told on a 429 of GET /pets/{petId}', async () => {
    const answer = await service.call('/pets/1', { token: deniedToken });
    expectError(answer, 429, 'rate_limit_exceeded');
    expectDeprecated(answer);
  });

  test.each<[string, CallOptions]>([
    ['/pets', {}],
    ['/pets', { json: rex }],
    ['/store/orders', {}],
    ['/nowhere', {}],
  ])('is not told on %s %j', async (path, options) => {
    const { headers } = await service.call(path, options);
    for (const name of ['Deprecation', 'Sunset', 'Link']) expect(headers.has(name)).toBe(false);
  });

  test('began before it ends', async () => {
    const { headers } = await service.call('/pets/1');
    const since = Number(headers.get('Deprecation')?.slice(1)) * 1_000;
    expect(since).toBeLessThan(Date.parse(headers.get('Sunset') ?? ''));
  });
});

describe('GET /store/orders', () => {
  test.each(['', '?limit=0', '?status=sold'])(
    '%s is answered with 501 to a valid key',
    async (query) => {
      expectError(await service.call(`/store/orders${query}`), 501, 'not_implemented');
    },
  );
});

describe('links', () => {
  test.each(['evil.example', 'evil.example:80', 'localhost'])(
    'are built from the own address, not from Host: %s',
    async (host) => {
      for (let i = 0; i < 2; i += 1) await service.call('/pets', { json: rex });
      const [answer] = await sendRaw(
        service.server.origin,
        rawRequest({
          line: 'GET /v1/pets?limit=1 HTTP/1.1',
          headers: [`Host: ${host}`, `Authorization: Bearer ${service.tokens.enterprise}`],
        }),
      );
      const { port } = new URL(service.server.origin);
      expect(answer?.headers.get('Link')).toMatch(
        new RegExp(`^<http://localhost:${port}/v1/pets\\?limit=1&cursor=[\\w-]+>; rel="next"$`),
      );
    },
  );
});
