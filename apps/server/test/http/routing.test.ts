import { beforeAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expectations.ts';
import { rawRequest, sendRaw, sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const service = useService('postgres');
beforeAll(async () => {
  await service.call('/pets', { json: rex });
});

const raw = (line: string, headers?: readonly string[], body?: string) =>
  sendRawRequest(service, { line, headers, body });

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

  test('sends no body before the next response on the connection', async () => {
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

  test('cannot be chosen with X-HTTP-Method-Override', async () => {
    const before = await countPets();
    const answer = await service.call('/pets?_method=DELETE', {
      headers: { 'X-HTTP-Method-Override': 'DELETE' },
    });
    expect(answer.status).toBe(200);
    expect(await countPets()).toBe(before);
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
  ])('%j under /v1 is not found', async (path) => {
    expectError(await raw(`GET /v1${path} HTTP/1.1`), 404, 'not_found');
  });

  test('of an animal has its own code', async () => {
    expectError(await service.call('/pets/999'), 404, 'pet_not_found', /999/);
  });

  test.each(['/', '/pets', '/v2/pets', '/v10/pets', '/V1/pets', '//v1/pets', '/favicon.ico'])(
    '%s outside /v1 is also JSON',
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

describe('GET /store/orders', () => {
  test.each(['', '?limit=0', '?status=sold'])(
    '%s is answered with 501 to a valid key',
    async (query) => {
      expectError(await service.call(`/store/orders${query}`), 501, 'not_implemented');
    },
  );
});

async function countPets(): Promise<number> {
  return ((await service.call('/pets?limit=100')).body as unknown[]).length;
}
