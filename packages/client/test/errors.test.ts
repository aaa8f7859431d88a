import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createClient } from '../src/client.ts';
import { AbortError } from '../src/errors/abort-error.ts';
import { AnimalStoreError } from '../src/errors/animal-store-error.ts';
import { ApiError } from '../src/errors/api-error.ts';
import { AuthenticationError } from '../src/errors/authentication-error.ts';
import { BadRequestError } from '../src/errors/bad-request-error.ts';
import { ConflictError } from '../src/errors/conflict-error.ts';
import { ConnectionError } from '../src/errors/connection-error.ts';
import { InsufficientScopeError } from '../src/errors/insufficient-scope-error.ts';
import { KeySuspendedError } from '../src/errors/key-suspended-error.ts';
import { NotFoundError } from '../src/errors/not-found-error.ts';
import { RateLimitError } from '../src/errors/rate-limit-error.ts';
import { ServerError } from '../src/errors/server-error.ts';
import { UnprocessableError } from '../src/errors/unprocessable-error.ts';
import { rejection } from './rejection.ts';
import { answer, type Script, startScriptedServer } from './scripted-server.ts';

const apiKey = 'ast_0123456789abcdefghijABCDEFGHIJ012345';

/** The error of a `listPets` against a server that answers by script. */
async function failure(script: Script): Promise<unknown> {
  await using server = await startScriptedServer(script);
  const store = createClient({ baseUrl: server.baseUrl, apiKey, maxRetries: 0 });
  return await rejection(store.listPets());
}

function errorBody(status: number, code: string): string {
  return JSON.stringify({ code, message: `about ${code}`, status });
}

describe('an answer that is no success', () => {
  test.each([
    [400, 'invalid_request', BadRequestError, 'BadRequestError'],
    [401, 'unauthorized', AuthenticationError, 'AuthenticationError'],
    [403, 'insufficient_scope', InsufficientScopeError, 'InsufficientScopeError'],
    [403, 'key_suspended', KeySuspendedError, 'KeySuspendedError'],
    [403, 'forbidden_by_a_firewall', ApiError, 'ApiError'],
    [404, 'pet_not_found', NotFoundError, 'NotFoundError'],
    [405, 'method_not_allowed', ApiError, 'ApiError'],
    [409, 'idempotency_in_progress', ConflictError, 'ConflictError'],
    [413, 'payload_too_large', ApiError, 'ApiError'],
    [422, 'idempotency_key_reused', UnprocessableError, 'UnprocessableError'],
    [429, 'rate_limit_exceeded', RateLimitError, 'RateLimitError'],
    [500, 'internal_error', ServerError, 'ServerError'],
    [501, 'not_implemented', ServerError, 'ServerError'],
    [503, 'service_unavailable', ServerError, 'ServerError'],
    [418, 'a_code_of_tomorrow', ApiError, 'ApiError'],
  ])('%i %s rejects with its error', async (status, code, errorClass, name) => {
    const error = await failure(answer(status, errorBody(status, code), { 'X-Request-Id': 'r-1' }));

    expect(error).toBeInstanceOf(errorClass);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(AnimalStoreError);
    expect(error).toBeInstanceOf(Error);
    expect((error as ApiError).constructor).toBe(errorClass);
    expect(error).toMatchObject({
      name,
      status,
      code,
      message: `listPets: about ${code} (HTTP ${status}, ${code}, request r-1)`,
      detail: `about ${code}`,
      operation: 'listPets',
      method: 'GET',
      attempts: 1,
      requestId: 'r-1',
      docsUrl: `${new URL((error as ApiError).url).origin}/docs#error-${code}`,
    });
    expect((error as ApiError).headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('keeps its body as a text, without the key', async () => {
    const body = { code: 'x', message: 'y', status: 418, trace: `Bearer ${apiKey}` };
    const error = (await failure(answer(418, JSON.stringify(body)))) as ApiError;
    expect(JSON.parse(error.body ?? '')).toEqual({ ...body, trace: 'Bearer [API key]' });
    expect(error).not.toHaveProperty('cause');
    const long = (await failure(answer(502, '<p>'.repeat(10_000)))) as ApiError;
    expect(long.body).toBe('<p>'.repeat(10_000).slice(0, 10_000));
  });

  test('that is malformed JSON has the parser’s error as its cause, and the text', async () => {
    const text = `[{"id":1,"name":"${apiKey}`;
    const error = (await failure(answer(200, text))) as ApiError;
    expect(error.detail).toBe(
      'expected a JSON array, got Content-Type application/json; charset=utf-8',
    );
    expect(error.cause).toMatchObject({ message: expect.stringMatching(/JSON/) });
    expect(error.body).toBe('[{"id":1,"name":"[API key]');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(apiKey);
  });

  test.each([
    [503, 'service_unavailable'],
    [409, 'idempotency_in_progress'],
  ])('with %i tells how long it asks to wait', async (status, code) => {
    const script = answer(status, errorBody(status, code), { 'Retry-After': '7' });
    expect(await failure(script)).toMatchObject({ retryAfterMs: 7_000 });
  });

  test("a proxy's HTML is told by its status line", async () => {
    const error = await failure(
      answer(502, '<html><h1>Bad Gateway</h1></html>', { 'Content-Type': 'text/html' }),
    );

    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 502, detail: 'Bad Gateway' });
    expect((error as ApiError).code).toBeUndefined();
    expect((error as ApiError).requestId).toBeUndefined();
    expect((error as ApiError).docsUrl).toBeUndefined();
  });

  test.each(['', 'null', '[]', '"x"', '{"code":7,"message":{}}', '{"message":""}', '['])(
    'the body %j is survived',
    async (body) => {
      const error = await failure(answer(401, body));
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error).toMatchObject({ detail: 'Unauthorized', code: undefined });
    },
  );

  test("a gateway's own message is kept, though it has no code", async () => {
    expect(await failure(answer(403, '{"message":"Forbidden by policy"}'))).toMatchObject({
      name: 'ApiError',
      status: 403,
      detail: 'Forbidden by policy',
      code: undefined,
    });
  });

  test.each([301, 302, 307, 308])('a %i is not followed', async (status) => {
    const error = await failure(answer(status, '', { Location: '/elsewhere' }));
    expect(error).toMatchObject({
      name: 'ApiError',
      status,
      detail: 'redirect: is baseUrl right?',
    });
  });

  test.each([
    ['<html>Sign in to the Wi-Fi</html>', 'text/html'],
    ['', 'application/json'],
    ['[{"id":', 'application/json'],
  ])('a success with the body %j is an error', async (body, type) => {
    expect(await failure(answer(200, body, { 'Content-Type': type }))).toMatchObject({
      name: 'ApiError',
      status: 200,
      code: undefined,
      detail: `expected a JSON array, got Content-Type ${type}`,
    });
  });

  test.each(['null', '{"status":"maintenance"}', '"x"', '7', 'true'])(
    'a success that is %s and no list is an error, also of a loop',
    async (body) => {
      await using server = await startScriptedServer(answer(200, body));
      const store = createClient({ baseUrl: server.baseUrl, apiKey });
      const expected = {
        name: 'ApiError',
        status: 200,
        detail: 'expected a JSON array, got Content-Type application/json; charset=utf-8',
      };
      expect(await rejection(store.listPets())).toMatchObject(expected);
      expect(await rejection(store.eachPet().toArray())).toMatchObject(expected);
    },
  );

  test.each(['null', '[]', '"x"', '7'])(
    'a creation that is answered with %s and no animal is an error',
    async (body) => {
      await using server = await startScriptedServer(answer(201, body));
      const store = createClient({ baseUrl: server.baseUrl, apiKey });
      const error = await rejection(store.createPet({ name: 'Mia', categoryId: 1 }));
      expect(error).toMatchObject({
        name: 'ApiError',
        status: 201,
        detail: 'expected a JSON object, got Content-Type application/json; charset=utf-8',
      });
    },
  );
});

describe('a 429', () => {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1795219260',
    'Retry-After': '17',
  };

  test('carries the quota and how long to wait', async () => {
    expect(
      await failure(answer(429, errorBody(429, 'rate_limit_exceeded'), headers)),
    ).toMatchObject({
      retryAfterMs: 17_000,
      limit: 60,
      remaining: 0,
      resetAt: new Date('2026-11-21T00:01:00Z'),
      banned: false,
    });
  });

  test('tells of a ban', async () => {
    expect(
      await failure(answer(429, errorBody(429, 'key_temporarily_banned'), headers)),
    ).toMatchObject({ banned: true, retryAfterMs: 17_000 });
  });

  test('of a proxy, without the headers, leaves the fields undefined', async () => {
    const error = await failure(answer(429, 'slow down', { 'Content-Type': 'text/plain' }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: undefined, banned: false });
    const { limit, remaining, resetAt } = error as RateLimitError;
    expect([limit, remaining, resetAt]).toEqual([undefined, undefined, undefined]);
  });
});

describe('no answer', () => {
  test('a refused connection is a ConnectionError with its cause', async () => {
    const server = await startScriptedServer(answer(200, '[]'));
    await server[Symbol.asyncDispose]();
    const store = createClient({ baseUrl: server.baseUrl, apiKey, maxRetries: 0 });

    const error = await rejection(store.listPets());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toBeInstanceOf(AnimalStoreError);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: `listPets: no answer from ${server.baseUrl}`,
      cause: { cause: { code: 'ECONNREFUSED' } },
    });
  });

  test('a connection that breaks before the answer is a ConnectionError', async () => {
    expect(await failure((response) => response.destroy())).toBeInstanceOf(ConnectionError);
  });

  test('a connection that breaks within the body is a ConnectionError', async () => {
    const error = await failure((response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('[{"id":1', () => response.destroy());
    });
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });
});

describe('a signal', () => {
  test('that is aborted already keeps the request from being sent', async () => {
    await using server = await startScriptedServer(answer(200, '[]'));
    const store = createClient({ baseUrl: server.baseUrl, apiKey });
    const reason = new Error('changed my mind');

    const error = await rejection(store.listPets({}, { signal: AbortSignal.abort(reason) }));

    expect(error).toBeInstanceOf(AbortError);
    expect(error).toBeInstanceOf(AnimalStoreError);
    expect(error).toMatchObject({ name: 'AbortError', message: 'listPets: aborted' });
    expect((error as Error).cause).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['while the answer is awaited', () => {}],
    [
      'while the body is awaited',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write('[');
      },
    ],
  ] as [string, Script][])('ends a call %s', async (_when, script) => {
    const controller = new AbortController();
    await using server = await startScriptedServer((response, request) => {
      script(response, request);
      controller.abort();
    });
    const store = createClient({ baseUrl: server.baseUrl, apiKey });

    const pet = { name: 'Mia', categoryId: 1 };
    const error = await rejection(store.createPet(pet, { signal: controller.signal }));

    expect(error).toBeInstanceOf(AbortError);
    expect((error as Error).cause).toBe(controller.signal.reason);
  });

  test('that times out tells so in its cause', async () => {
    await using server = await startScriptedServer(() => {});
    const store = createClient({ baseUrl: server.baseUrl, apiKey });

    await expect(store.listPets({}, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'AbortError',
      cause: { name: 'TimeoutError' },
    });
  });
});

describe('the API key', () => {
  function everyText(value: unknown): string {
    const { message, stack } = value as Partial<Error>;
    return [
      String(value),
      message,
      stack,
      JSON.stringify(value),
      inspect(value, { depth: 20, showHidden: true }),
    ].join('\n');
  }

  test('is in no view of a client', () => {
    const store = createClient({ baseUrl: 'https://store.example/v1', apiKey });
    expect(everyText(store)).not.toContain(apiKey);
    expect(everyText(store.listPets)).not.toContain(apiKey);
  });

  test('is in no error, though a proxy echoes the request', async () => {
    const echo: Script = (response, { headers }) => {
      const authorization = headers.authorization ?? '';
      response.writeHead(400, { 'X-Echo': authorization, 'X-Request-Id': authorization });
      response.end(JSON.stringify({ code: authorization, message: `you sent ${authorization}` }));
    };
    const error = await failure(echo);

    expect(everyText(error)).not.toContain(apiKey);
    expect(everyText([...(error as ApiError).headers])).not.toContain(apiKey);
    expect(error).toMatchObject({ detail: 'you sent Bearer [API key]' });
  });

  test('is in no error of the connection', async () => {
    const error = await failure((response) => response.destroy());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(everyText(error)).not.toContain(apiKey);
  });

  test('is in no error about an argument', async () => {
    const store = createClient({ baseUrl: 'https://store.example/v1', apiKey });
    const pet = { name: 'Mia', categoryId: 1 };
    const error = await rejection(store.createPet(pet, { idempotencyKey: 'two\nlines' }));
    expect(error).toBeInstanceOf(TypeError);
    expect(everyText(error)).not.toContain(apiKey);
  });

  test('of a few characters is left in texts, where it may be part of a word', async () => {
    await using server = await startScriptedServer(answer(401, errorBody(401, 'unauthorized')));
    const store = createClient({ baseUrl: server.baseUrl, apiKey: 'a' });
    await expect(store.listPets()).rejects.toMatchObject({ detail: 'about unauthorized' });
  });
});
