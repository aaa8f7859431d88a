import { maxPetId } from '@animal-store/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectError, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { rawRequest, sendRaw, sendRawRequest } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useSharedService } from '../support/shared-service.ts';

const rex = '{"name":"Rex","categoryId":1}';

const { service } = useSharedService();
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
    ['/pets', ['DELETE', 'PUT', 'PATCH', 'QUERY', 'PROPFIND'], 'GET, HEAD, POST'],
    ['/pets/1', ['DELETE', 'PUT', 'PATCH', 'POST'], 'GET, HEAD'],
    ['/pets/x', ['DELETE'], 'GET, HEAD'],
    ['/pets/%ff', ['DELETE'], 'GET, HEAD'],
    ['/store/orders', ['DELETE', 'PUT', 'PATCH', 'POST'], 'GET, HEAD'],
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

  test.each(cases.map(([path, , allow]) => [path, allow] as const))(
    'OPTIONS %s is answered with 204 and Allow: %s, without a key',
    async (path, allow) => {
      const answer = await service.call(path, { method: 'OPTIONS', token: null });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers.get('Allow')?.split(', ').sort()).toEqual(allow.split(', '));
      expectResponseHeaders(answer);
    },
  );

  test('OPTIONS of an unknown path needs a key, and is 404', async () => {
    const options = { method: 'OPTIONS' };
    expectError(await service.call('/nowhere', { ...options, token: null }), 401, 'unauthorized');
    expectError(await service.call('/nowhere', options), 404, 'not_found');
  });

  test('changes nothing', async () => {
    const before = await allPets();
    for (const method of ['DELETE', 'PUT', 'PATCH']) {
      for (const path of ['/pets', '/pets/1']) {
        const answer = await service.call(path, { method, json: rex });
        expectError(answer, 405, 'method_not_allowed');
      }
    }
    expect(await allPets()).toEqual(before);
  });

  test('cannot be chosen with X-HTTP-Method-Override', async () => {
    const before = await allPets();
    const answer = await service.call('/pets?_method=DELETE', {
      headers: { 'X-HTTP-Method-Override': 'DELETE' },
    });
    expect(answer.status).toBe(200);
    expect(await allPets()).toEqual(before);
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
    // Other files have added animals.
    const path = `/pets/${maxPetId}`;
    expectError(await service.call(path), 404, 'pet_not_found', new RegExp(`${maxPetId}`));
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

describe('a path that cannot be decoded', () => {
  test('is 404 where no route takes it', async () => {
    expectError(await raw('GET /v1/nowhere/%ff HTTP/1.1'), 404, 'not_found');
  });

  // Express fails while it matches such a path, before any step of the route.
  test('is counted like every other request', async () => {
    const remaining = ({ headers }: Answer) => Number(headers.get('X-RateLimit-Remaining'));
    const before = await service.call('/pets');
    const answer = await raw('GET /v1/pets/%ff?limit=%ff HTTP/1.1');
    expectError(answer, 400, 'invalid_request', /^path: expected valid percent-encoding of UTF-8$/);
    expect(remaining(answer)).toBe(remaining(before) - 1);
  });
});

// RFC 3986, §6.2.2.2
describe('a path with percent-encoded letters', () => {
  test.each([
    ['/p%65ts?ids=1', '/pets?ids=1'],
    ['/%70%65%74%73/%31', '/pets/1'],
    ['/store/%6frders', '/store/orders'],
    ['/store/%6Frders', '/store/orders'],
    ['/r%61te%2Dlimit', '/rate-limit'],
  ])('is the same path: %s', async (path, plain) => {
    const [answer, expected] = [await raw(`GET /v1${path} HTTP/1.1`), await service.call(plain)];
    expect([answer.status, answer.text]).toEqual([expected.status, expected.text]);
    const expectedHeaders = expected.headers.get('Link');
    expect(answer.headers.get('Link')).toBe(expectedHeaders);
  });

  test('is the same path in its version, too', async () => {
    const answer = await raw('GET /%761/pets?ids=1 HTTP/1.1');
    expect(answer.text).toBe((await service.call('/pets?ids=1')).text);
  });

  test.each([
    '/p%2565ts',
    '/pets%2F1',
    '/pets/%2e%2e/pets',
    '/pets%3Fids=1',
    '/pets%20',
    '/%50ets',
  ])('is not decoded further: %s is not found', async (path) => {
    expectError(await raw(`GET /v1${path} HTTP/1.1`), 404, 'not_found');
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

function allPets() {
  return listAll(service.server, service.tokens.enterprise);
}
