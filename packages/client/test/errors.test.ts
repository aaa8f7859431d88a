import { inspect } from 'node:util';
import { errorCodes } from '@animal-store/contract';
import { describe, expect, test } from 'vitest';
import * as client from '../src/index.ts';
import { AnimalStoreError, ApiError, createClient } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { answerJson, baseUrl, openStore, refuse, type Step } from './scripted-fetch.ts';

const apiKey = 'ast_0123456789abcdefghijABCDEFGHIJ012345';

/** Calls `listPets`, responds with the given step, and returns the error of the call. */
async function failure(step: Step, key = apiKey) {
  const { store } = openStore([step], { apiKey: key, maxRetries: 0, maxRetryAfterMs: 0 });
  return (await rejection(store.listPets())) as ApiError;
}

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Step =>
  () =>
    new Response(body, { status, headers });

describe('a failed response', () => {
  const known = Object.entries(errorCodes).map(([code, { status }]) => [status, code] as const);
  const classes: Record<string, string> = {
    400: 'BadRequestError',
    401: 'AuthenticationError',
    insufficient_scope: 'InsufficientScopeError',
    key_suspended: 'KeySuspendedError',
    404: 'NotFoundError',
    409: 'ConflictError',
    422: 'UnprocessableError',
    429: 'RateLimitError',
  };

  test.each([...known, [403, 'forbidden_by_a_firewall'], [499, 'x'], [599, 'x']] as [
    number,
    string,
  ][])(
    'a failed response with status %i and code %s rejects the call with the matching error class',
    async (status, code) => {
      const step = refuse(status, code, { 'X-Request-Id': 'r-1' });
      const error = await failure(step, `${apiKey}_${code}`);
      const name = classes[code] ?? classes[status] ?? (status >= 500 ? 'ServerError' : 'ApiError');
      expect(error.constructor).toBe(new Map(Object.entries(client)).get(name));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(AnimalStoreError);
      expect(error).toMatchObject({
        name,
        status,
        code,
        message: `listPets: about ${code} (HTTP ${status}, ${code}, request r-1)`,
        detail: `about ${code}`,
        operation: 'listPets',
        method: 'GET',
        pathTemplate: '/pets',
        url: `${baseUrl}/pets`,
        attempts: 1,
        requestId: 'r-1',
        docsUrl: `https://store.example/docs#error-${code}`,
      });
      expect(error.headers.get('content-type')).toBe('application/json');
    },
  );

  test('an ApiError keeps its name, code, message and header fields when it is converted to JSON', async () => {
    const error = await failure(refuse(404, 'pet_not_found', { 'X-Request-Id': 'r-1' }));
    const written = JSON.parse(JSON.stringify({ error }));
    expect(written.error).toEqual({
      name: 'NotFoundError',
      message: error.message,
      operation: 'listPets',
      method: 'GET',
      pathTemplate: '/pets',
      url: `${baseUrl}/pets`,
      attempts: 1,
      status: 404,
      code: 'pet_not_found',
      detail: 'about pet_not_found',
      headers: { 'content-type': 'application/json', 'x-request-id': 'r-1' },
      body: error.body,
      requestId: 'r-1',
      docsUrl: `${baseUrl.replace('/v1', '')}/docs#error-pet_not_found`,
    });
    // An error that is sent to a worker keeps only its message. The result of `toJSON` keeps all
    // properties.
    expect(structuredClone(error.toJSON())).toEqual({ ...written.error, retryAfterMs: undefined });
  });

  test('an ApiError keeps the first 10,000 characters of the response body, and replaces the API key in them', async () => {
    const trace = `${apiKey} ${'<p>'.repeat(10_000)}`;
    const error = await failure(answer(502, trace));
    expect(error.body).toBe(trace.replace(apiKey, '[API key]').slice(0, 10_000));
    expect(error).not.toHaveProperty('cause');
    expect([error.code, error.requestId, error.docsUrl]).toEqual([undefined, undefined, undefined]);
  });

  const byProxy = new Response('<h1>Bad</h1>', { status: 502, statusText: 'Bad Gateway' });
  // Browsers hide everything about a redirect. They only reveal that `ok` is false and `status` is
  // 0.
  const hidden = Object.defineProperties(new Response(''), {
    ok: { value: false },
    status: { value: 0 },
  });
  const redirect = answer(302, '', { Location: 'https://login.example/a?from=secret#top' });
  test.each<[number, string, Step]>([
    [400, 'failed', answer(400, 'null')],
    [401, 'failed', answer(401, '{"code":7,"message":{}}')],
    [401, 'failed', answer(401, '{"message":""}')],
    [401, 'failed', answer(401, '[')],
    [403, 'Forbidden by policy', answer(403, '{"message":"Forbidden by policy"}')],
    [502, 'Bad Gateway', () => byProxy],
    [300, 'redirect: check baseUrl', answer(300, '')],
    [399, 'redirect: check baseUrl', answer(399, '')],
    [0, 'redirect: check baseUrl', () => hidden],
    [302, 'redirect to https://login.example/a: check baseUrl', redirect],
  ])(
    'when a proxy or another server responds with status %i, the error has the detail %j',
    async (status, detail, step) => {
      const message = `listPets: ${detail} (HTTP ${status})`;
      expect(await failure(step)).toMatchObject({ status, detail, code: undefined, message });
    },
  );
});

describe('a successful response with an unexpected body', () => {
  const page = 'Content-Type text/html';
  test.each([
    ['listPets', 'array', '<html>Sign in</html>', 'text/html', page],
    ['listPets', 'array', '', 'text/html', 'an empty body'],
    ['listPets', 'array', '[{"id":', 'application/json; charset=utf-8', 'invalid JSON'],
    ['listPets', 'array', 'null', 'application/json', 'JSON null'],
    ['listPets', 'array', '{"a":1}', 'text/html', 'JSON object'],
    ['listPets', 'array', '"x"', 'application/json', 'JSON string'],
    ['createPet', 'object', '[]', 'application/json', 'JSON array'],
    ['createPet', 'object', '7', 'application/json', 'JSON number'],
    ['request', 'value', '<html>', 'text/html', page],
  ] as const)(
    'a call of %s rejects with an ApiError that expected a JSON %s when the response 200 has the body %j and the type %s, which is described as "%s"',
    async (operation, kind, body, type, got) => {
      const { store } = openStore([answer(200, body, { 'Content-Type': type })]);
      const calls = {
        listPets: () => store.listPets(),
        createPet: () => store.createPet({ name: 'Mia', categoryId: 1 }),
        request: () => store.request({ path: '/x' }),
      };
      expect(await rejection(calls[operation]())).toMatchObject({
        ...{ name: 'ApiError', status: 200, code: undefined, attempts: 1 },
        detail: `expected a JSON ${kind}, got ${got}`,
      });
    },
  );

  test('an ApiError for malformed JSON has the parser’s error as its cause, and keeps the text without the API key', async () => {
    const error = await failure(answer(200, `[{"id":1,"name":"${apiKey}`));
    expect(error.cause).toMatchObject({ message: expect.stringMatching(/JSON/) });
    expect(error.body).toBe('[{"id":1,"name":"[API key]');
    expect(everyText(error)).not.toContain(apiKey);
  });
});

test('a RateLimitError contains the quota state, the time to wait, and whether the API key is banned', async () => {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1795219260',
    'Retry-After': '17',
  };
  const resetAt = new Date('2026-11-21T00:01:00Z');
  const banned = await failure(refuse(429, 'key_temporarily_banned', headers), `${apiKey}_banned`);
  const quota = { limit: 60, remaining: 0, resetAt };
  expect(banned).toMatchObject({ banned: true, retryAfterMs: 17_000, ...quota });
  const byProxy = await failure(answer(429, 'slow down'), `${apiKey}_proxy`);
  expect(byProxy).toMatchObject({ banned: false, retryAfterMs: undefined });
  expect(byProxy).not.toHaveProperty('limit');
});

function everyText(value: unknown): string {
  const { message, stack } = value as Partial<Error>;
  const seen = inspect(value, { depth: 20, showHidden: true });
  return [String(value), message, stack, JSON.stringify(value), seen].join('\n');
}

// `redact.test.ts` tests how the API key is removed from a single value.
test('a client and its errors never show the API key, even when a proxy repeats the API key in its response', async () => {
  const store = createClient({ baseUrl, apiKey });
  const sent = `Bearer ${apiKey}`;
  const headers = { 'X-Echo': sent, 'X-Request-Id': sent };
  const body = { code: sent, message: `you sent ${sent}` };
  const echoed = await failure(answerJson(400, body, headers));
  const lost = await failure((request) => {
    throw Object.assign(new TypeError(`failed: ${apiKey}`), { request });
  });
  expect(echoed).toMatchObject({ detail: 'you sent Bearer [API key]' });
  expect(lost).toMatchObject({ name: 'ConnectionError', cause: { message: expect.any(String) } });
  for (const view of [store, store.listPets, [echoed, ...echoed.headers], lost])
    expect(everyText(view)).not.toContain(apiKey);
});
