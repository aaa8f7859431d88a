import { describe, expect, test } from 'vitest';
import { expectResponseHeaders } from '../support/expectations.ts';
import { rawRequest, sendRaw, sendRawRequest } from '../support/raw-http.ts';
import { useSharedService } from '../support/shared-service.ts';
import type { CallOptions } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const { service } = useSharedService();

const raw = (line: string, headers?: readonly string[], body?: string) =>
  sendRawRequest(service, { line, headers, body });

describe('X-Request-Id', () => {
  test('is generated for each request that has none', async () => {
    const ids = [await service.call('/pets'), await service.call('/pets')].map(({ headers }) =>
      headers.get('X-Request-Id'),
    );
    expect(ids[0]).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test.each(['a', 'request-1.2:3_4', 'x'.repeat(128)])(
    'is taken from the request: %s',
    async (id) => {
      const answer = await service.call('/pets/999', { headers: { 'X-Request-Id': id } });
      expect(answer.headers.get('X-Request-Id')).toBe(id);
    },
  );

  test.each(['', 'x'.repeat(129), 'two words', '<script>', 'a%0d%0ab', 'caf\xe9', 'a,b'])(
    'is not %j',
    async (id) => {
      const answer = await raw('GET /v1/pets HTTP/1.1', [`X-Request-Id: ${id}`]);
      expectResponseHeaders(answer);
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
    },
  );
});

describe('every response', () => {
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

  test.each(answers)(
    '%s has Cache-Control, X-Content-Type-Options and X-Request-Id',
    async (status, path, options) => {
      const answer = await service.call(path, options);
      expect(answer.status).toBe(Number(status));
      expectResponseHeaders(answer);
      expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    },
  );

  test.each(answers)(
    '%s does not name the software of the server',
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

  test('is complete, even to a conditional request', async () => {
    const headers = { 'If-None-Match': '*', 'If-Modified-Since': new Date().toUTCString() };
    expect((await service.call('/pets', { headers })).status).toBe(200);
  });
});

describe('links', () => {
  test.each(['evil.example', 'evil.example:80', 'localhost'])(
    'start with the address of the service, not with Host: %s',
    async (host) => {
      for (let i = 0; i < 2; i += 1) await service.call('/pets', { json: rex });
      const [answer] = await sendRaw(
        service.server.origin,
        rawRequest({
          line: 'GET /v1/pets?limit=1 HTTP/1.1',
          headers: [`Host: ${host}`, `Authorization: Bearer ${service.tokens.enterprise}`],
        }),
      );
      expect(answer?.headers.get('Link')).toMatch(
        new RegExp(`^<${service.server.baseUrl}/pets\\?limit=1&cursor=[\\w-]+>; rel="next"$`),
      );
    },
  );
});
