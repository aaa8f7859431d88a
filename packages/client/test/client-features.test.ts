import { defaultBanPolicy, pageLimit, rateLimitStatusRoutes, routes } from '@animal-store/contract';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { maxPageLength } from '../src/each-pet.ts';
import {
  type ClientOptions,
  createClient,
  type ErrorEvent,
  isApiError,
  version,
} from '../src/index.ts';
import { minStrikes, strikeShare, strikeWindowMs } from '../src/quota-knowledge.ts';
import { rejection } from './rejection.ts';
import { answerJson, disconnect, hang, refuse, type Step, scriptFetch } from './scripted-fetch.ts';

let keys = 0;

function open(steps: Step[], options: ClientOptions = {}) {
  const script = scriptFetch(...steps);
  const baseUrl = 'https://store.example/v1';
  const apiKey = `ast_feature_${++keys}`;
  const store = createClient({ baseUrl, apiKey, fetch: script.fetch, maxRetries: 0, ...options });
  const sent = () => script.requests.map(({ init }) => new Headers(init.headers));
  return { store, script, sent };
}

const ok = answerJson(200, []);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('the client and the contract know the same ban policy', () => {
  expect({ minStrikes, strikeShare, strikeWindowMs }).toEqual({
    minStrikes: defaultBanPolicy.minStrikes,
    strikeShare: defaultBanPolicy.strikeShare,
    strikeWindowMs: defaultBanPolicy.strikeWindowSeconds * 1000,
  });
});

test('the client and the contract know the same routes and the same longest page', async () => {
  const { store, script } = open([ok, answerJson(200, {})]);
  await store.listPets();
  await store.createPet({ name: 'Mia', categoryId: 3 });
  await store.getPet(7);
  await store.rateLimit();
  const { listPets, createPet, getPet } = routes;
  expect(
    script.requests.map(({ url, init }) => ({
      method: init.method,
      path: url.replace('https://store.example/v1', '').replace('/7', '/:petId'),
    })),
  ).toEqual([listPets, createPet, getPet, rateLimitStatusRoutes.getRateLimit]);
  expect(maxPageLength).toBe(pageLimit.max);
});

describe('every error has the caller in its stack', () => {
  async function theCallerOfTheClient(call: () => Promise<unknown>): Promise<void> {
    await call();
  }

  test.each([
    ['an answer', refuse(400, 'invalid_request'), {}, 'BadRequestError'],
    ['a lost connection', disconnect, {}, 'ConnectionError'],
    ['a timeout', hang, { timeoutMs: 1 }, 'TimeoutError'],
    ['an abort', hang, { signal: AbortSignal.timeout(1) }, 'AbortError'],
    ['an abort before', ok, { signal: AbortSignal.abort() }, 'AbortError'],
  ] as const)('after %s', async (_what, step, options, name) => {
    const { store } = open([step]);
    const error = await rejection(
      theCallerOfTheClient(async () => await store.listPets({}, options)),
    );
    expect(error).toMatchObject({ name });
    expect((error as Error).stack).toContain('theCallerOfTheClient');
  });

  test('when the call was not sent', async () => {
    const denied = refuse(429, 'rate_limit_exceeded', { 'Retry-After': '3600' });
    const { store } = open([denied]);
    await rejection(store.listPets());
    const error = await rejection(theCallerOfTheClient(async () => await store.listPets()));
    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    expect((error as Error).stack).toContain('theCallerOfTheClient');
  });
});

describe('a function as apiKey', () => {
  const oldAndNew = (): Step[] => [refuse(401, 'unauthorized'), ok];

  test('is called again once after a 401, and the request is sent with the new key', async () => {
    const apiKey = vi.fn().mockReturnValueOnce('ast_old').mockResolvedValue('ast_new');
    const { store, sent } = open(oldAndNew(), { apiKey });
    await store.listPets();
    await store.listPets();
    expect(sent().map((headers) => headers.get('Authorization'))).toEqual([
      'Bearer ast_old',
      'Bearer ast_new',
      'Bearer ast_new',
    ]);
    expect(apiKey).toHaveBeenCalledTimes(2);
  });

  test('that gives the same key again leaves the 401', async () => {
    const { store, script } = open([refuse(401, 'unauthorized')], { apiKey: () => 'ast_same' });
    expect(isApiError(await rejection(store.listPets()), 401)).toBe(true);
    expect(script.requests).toHaveLength(1);
  });

  test('that fails is the cause of the error', async () => {
    const cause = new Error('the vault is sealed');
    const { store, script } = open([ok], { apiKey: () => Promise.reject(cause) });
    expect(await rejection(store.listPets())).toMatchObject({ name: 'AnimalStoreError', cause });
    expect(script.requests).toEqual([]);
  });

  test('that never answers does not outlive the signal', async () => {
    const { store } = open([ok], { apiKey: () => new Promise(() => {}) });
    const call = store.listPets({}, { signal: AbortSignal.timeout(1) });
    expect(await rejection(call)).toMatchObject({ name: 'AbortError' });
  });
});

describe('options', () => {
  test('come from the environment if they are not given', async () => {
    vi.stubEnv('ANIMAL_STORE_BASE_URL', 'https://environment.example/v1');
    vi.stubEnv('ANIMAL_STORE_API_KEY', 'ast_environment');
    const { fetch, requests } = scriptFetch(ok);
    await createClient({ fetch }).listPets();
    expect(requests[0]?.url).toBe('https://environment.example/v1/pets');
    expect(new Headers(requests[0]?.init.headers).get('Authorization')).toBe(
      'Bearer ast_environment',
    );
  });

  test('leave the environment alone if they are given, as Deno may forbid to read it', async () => {
    const env = new Proxy(
      {},
      {
        get() {
          throw new Error('not allowed');
        },
      },
    );
    vi.stubGlobal('process', { env });
    const { fetch } = scriptFetch(ok);
    const store = createClient({ baseUrl: 'https://store.example/v1', apiKey: 'ast_key', fetch });
    await expect(store.listPets()).resolves.toHaveProperty('pets');
  });

  test('that are missing are named', () => {
    vi.stubEnv('ANIMAL_STORE_BASE_URL', undefined);
    vi.stubEnv('ANIMAL_STORE_API_KEY', undefined);
    expect(() => createClient()).toThrow(/ANIMAL_STORE_BASE_URL/);
    const baseUrl = 'https://store.example/v1';
    expect(() => createClient({ baseUrl })).toThrow(/ANIMAL_STORE_API_KEY/);
  });

  test('can differ in a second client', async () => {
    const { store, sent } = open([ok], { headers: { 'X-App': 'shop', 'X-Team': 'a' } });
    const other = store.withOptions({ headers: { 'X-App': 'worker' } });
    await store.listPets({}, { headers: { 'x-team': 'b' } });
    await other.listPets();
    expect(sent().map((headers) => [headers.get('X-App'), headers.get('X-Team')])).toEqual([
      ['shop', 'b'],
      ['worker', 'a'],
    ]);
    expect(sent()[0]?.get('Authorization')).toBe(sent()[1]?.get('Authorization'));
  });
});

describe('headers', () => {
  test('of the client, of withOptions and of the call merge in any case: the last wins, undefined removes', async () => {
    const { store, sent } = open([ok], {
      headers: { 'x-a': '1', 'X-B': '1', 'x-c': '1', 'X-D': '1' },
    });
    const other = store
      .withOptions({ headers: { 'X-A': '2', 'x-b': undefined, 'X-C': undefined } })
      .withOptions({ headers: { 'x-B': '3' } });
    await other.listPets({}, { headers: { 'X-d': '4' } });
    await other.withOptions({ headers: undefined }).listPets({}, { headers: { 'x-a': undefined } });
    const values = (index: number) => ['a', 'b', 'c', 'd'].map((x) => sent()[index]?.get(`x-${x}`));
    expect(values(0)).toEqual(['2', '3', null, '4']);
    expect(values(1)).toEqual([null, '3', null, '1']);
  });

  test('cannot replace or remove those that the client needs', async () => {
    const { store, sent } = open([ok]);
    const headers = { authorization: undefined, ACCEPT: 'text/html', 'user-agent': undefined };
    await store.listPets({}, { headers });
    expect(sent()[0]?.get('Authorization')).toMatch(/^Bearer ast_feature_/);
    expect(sent()[0]?.get('Accept')).toBe('application/json');
    expect(sent()[0]?.has('User-Agent')).toBe(false);
  });
});

describe('User-Agent', () => {
  test('names the client and its version', async () => {
    const { store, sent } = open([ok]);
    await store.listPets();
    await store.listPets({}, { headers: { 'User-Agent': 'shop/7' } });
    expect(sent().map((headers) => headers.get('User-Agent'))).toEqual([
      `animal-store-client/${version}`,
      'shop/7',
    ]);
  });

  test('is left to the browser, whose preflight request would ask for it', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko' });
    const { store, sent } = open([ok]);
    await store.listPets();
    expect(sent()[0]?.has('User-Agent')).toBe(false);
  });
});

describe('a connection that failed in a browser', () => {
  const message = async (location: object | undefined, navigator = {}) => {
    vi.stubGlobal('location', location);
    vi.stubGlobal('navigator', navigator);
    const { store } = open([disconnect]);
    return ((await rejection(store.listPets())) as Error).message;
  };
  const noAnswer = 'listPets: no answer from https://store.example/v1';

  test('on a page of another origin may be a matter of CORS', async () => {
    expect(await message({ origin: 'https://shop.example' })).toBe(
      `${noAnswer} (CORS: is https://shop.example allowed?)`,
    );
    expect(await message({ origin: 'https://store.example.evil.example' })).toContain('CORS');
    expect(await message({ origin: 'null' })).toContain('CORS: is null allowed?');
  });

  test('on a page of the same origin is not', async () => {
    expect(await message({ origin: 'https://store.example' })).toBe(noAnswer);
    expect(await message(undefined)).toBe(noAnswer);
  });

  test('without a network says so', async () => {
    const location = { origin: 'https://shop.example' };
    expect(await message(location, { onLine: false })).toBe(`${noAnswer} (offline)`);
  });
});

test('rateLimit() is sent at once, also while the quota is used up', async () => {
  const status = { plan: 'free', subject: 'key', bannedUntil: null, warned: false };
  const denied = refuse(429, 'rate_limit_exceeded', { 'Retry-After': '3600' });
  const { store, script } = open([denied, answerJson(200, status), denied]);
  await rejection(store.listPets());
  expect(await store.rateLimit()).toEqual(status);
  expect(script.requests[1]?.url).toBe('https://store.example/v1/rate-limit');
  // It did not open the way for calls that cost something.
  expect(await rejection(store.listPets())).toMatchObject({ attempts: 0 });
});

describe('request()', () => {
  test('sends what it is told, with the key, and gives the body', async () => {
    const { store, script, sent } = open([answerJson(200, { total: 7 })]);
    const request = { method: 'PUT', path: '/store/orders/1', query: { a: 1, b: undefined } };
    const answer = await store.request<{ total: number }>({ ...request, body: { id: 2n ** 60n } });
    expect(answer.total).toBe(7);
    expect(script.requests[0]?.url).toBe('https://store.example/v1/store/orders/1?a=1');
    expect(script.requests[0]?.init).toMatchObject({
      method: 'PUT',
      body: '{"id":1152921504606846976}',
    });
    expect(sent()[0]?.get('Authorization')).toMatch(/^Bearer ast_feature_/);
  });

  test('has the same retries and errors', async () => {
    const { store, script } = open([refuse(503, 'service_unavailable', { 'Retry-After': '0' })], {
      maxRetries: 1,
    });
    expect(await rejection(store.request({ path: '/store/orders?secret=1' }))).toMatchObject({
      name: 'ServerError',
      operation: 'GET /store/orders',
      url: 'https://store.example/v1/store/orders',
      attempts: 2,
    });
    expect(script.requests).toHaveLength(2);
  });

  test('repeats a POST only with an idempotency key', async () => {
    const unavailable = refuse(503, 'service_unavailable', { 'Retry-After': '0' });
    const { store, script } = open([unavailable], { maxRetries: 1 });
    await rejection(store.request({ method: 'POST', path: '/store/orders', body: {} }));
    expect(script.requests).toHaveLength(1);
    const idempotencyKey = 'order-7';
    await rejection(store.request({ method: 'POST', path: '/store/orders', idempotencyKey }));
    expect(script.requests).toHaveLength(3);
  });

  test('accepts an answer without a body', async () => {
    const { store } = open([() => new Response(null, { status: 204 })]);
    expect(await store.request({ method: 'DELETE', path: '/store/orders/1' })).toBeUndefined();
  });

  test.each([
    '.evil.example/',
    '',
    'pets',
    'https://evil.example/v1/pets',
    'https://store.example/v1/pets',
    '/../admin',
    '/pets/../../admin',
    '/%2e%2e/admin',
    '/..\\\\admin',
  ])('refuses the path %j, which could lead the key out of the service', async (path) => {
    const { store, script } = open([ok]);
    expect(await rejection(store.request({ path }))).toEqual(
      new TypeError('path: expected one below baseUrl'),
    );
    expect(script.requests).toEqual([]);
  });

  test.each([
    ['//evil.example/pets', {}, '//evil.example/pets'],
    ['/@evil.example', {}, '/@evil.example'],
    ['/pets?limit=1&x=%20', {}, '/pets?limit=1&x=%20'],
    ['/pets?limit=1', { status: 'sold' }, '/pets?limit=1&status=sold'],
    ['/pets?limit=1&a=b', { limit: 2, a: undefined }, '/pets?limit=2'],
    ['/pets?', { a: 'ä &' }, '/pets?a=%C3%A4+%26'],
    ['/pets/ü', {}, '/pets/%C3%BC'],
  ])('makes of the path %j and the query %j the address %j', async (path, query, expected) => {
    const { store, script } = open([ok]);
    await store.request({ path, query });
    expect(script.requests[0]?.url).toBe(`https://store.example/v1${expected}`);
  });

  test.each([
    ['{"a":[1,null]}', { a: [1n, null] }],
    ['[]', []],
    ['"text"', 'text'],
    ['""', ''],
    ['0', 0],
    ['1152921504606846976', 2n ** 60n],
    ['false', false],
    ['null', null],
    ['"1970-01-01T00:00:00.000Z"', new Date(0)],
    [
      '{"id":7}',
      new (class Order {
        id = 7;
      })(),
    ],
    ['{}', Object.create(null)],
  ] as [string, unknown][])('sends a body as the JSON %s', async (expected, body) => {
    const { store, script, sent } = open([ok]);
    await store.request({ method: 'PUT', path: '/x', body });
    expect(script.requests[0]?.init.body).toBe(expected);
    expect(sent()[0]?.get('Content-Type')).toBe('application/json');
  });

  test.each([
    new FormData(),
    new Blob(['x']),
    new URLSearchParams('a=b'),
    new ReadableStream(),
    new ArrayBuffer(1),
    new Uint8Array(1),
    new Map(),
    Promise.resolve(),
  ])('refuses the body %o, which JSON does not have', async (body) => {
    const { store, script } = open([ok]);
    expect(await rejection(store.request({ method: 'PUT', path: '/x', body }))).toEqual(
      new TypeError('body: expected JSON'),
    );
    expect(script.requests).toEqual([]);
  });

  test('without a body sends none, and no Content-Type', async () => {
    const { store, script, sent } = open([ok]);
    await store.request({ method: 'POST', path: '/x', body: undefined });
    expect(script.requests[0]?.init).not.toHaveProperty('body');
    expect(sent()[0]?.has('Content-Type')).toBe(false);
  });

  test('takes an idempotency key among the headers, too', async () => {
    const { store, sent } = open([ok]);
    await store.request({ path: '/x' }, { headers: { 'Idempotency-Key': 'order-7' } });
    expect(sent()[0]?.get('Idempotency-Key')).toBe('order-7');
  });
});

describe('observability', () => {
  test('onError is told once of a call that failed', async () => {
    const events: ErrorEvent[] = [];
    const { store } = open([refuse(404, 'pet_not_found')], {
      onError: (event) => events.push(event),
    });
    const error = await rejection(store.listPets());
    expect(events).toEqual([
      {
        operation: 'listPets',
        method: 'GET',
        pathTemplate: '/pets',
        url: 'https://store.example/v1/pets',
        attempt: 1,
        error,
        durationMs: expect.any(Number),
      },
    ]);
  });

  test('a logger is told of everything, each at its level', async () => {
    const lines: string[] = [];
    const log = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
    const logger = { debug: log('debug'), warn: log('warn'), error: log('error') };
    const unavailable = refuse(503, 'service_unavailable', { 'Retry-After': '0' });
    const { store } = open([unavailable], { logger, maxRetries: 1 });
    await rejection(store.listPets());
    const attempt = [
      'debug: Animal Store Request listPets',
      'debug: Animal Store Response listPets',
    ];
    expect(lines).toEqual([
      ...attempt,
      'warn: Animal Store Retry listPets',
      ...attempt,
      'error: Animal Store Error listPets',
    ]);
  });

  test('hooks are told the path without its parameters', async () => {
    const seen: unknown[] = [];
    const { store } = open([answerJson(200, {}, { 'X-Request-Id': 'r-1' })], {
      onRequest: ({ method, pathTemplate, attempt }) => seen.push([method, pathTemplate, attempt]),
      onResponse: ({ pathTemplate, status, requestId, durationMs }) =>
        seen.push([pathTemplate, status, requestId, durationMs >= 0]),
    });
    await store.getPet(7);
    await store.request({ path: '/store/orders/7?full=true' });
    await store.request({ path: '/store/orders/7', pathTemplate: '/store/orders/{id}' });
    const templates = ['/pets/{petId}', '/store/orders/7', '/store/orders/{id}'];
    expect(seen).toEqual(
      templates.flatMap((path) => [
        ['GET', path, 1],
        [path, 200, 'r-1', true],
      ]),
    );
  });

  test('no event or error shows the query or the key', async () => {
    const events: unknown[] = [];
    const logger = { debug: push, warn: push, error: push };
    function push(_message: string, event: unknown) {
      events.push(event);
    }
    const { store } = open([refuse(400, 'invalid_request')], { logger, apiKey: 'ast_very_secret' });
    events.push(await rejection(store.listPets({ cursor: 'private' })));
    const { inspect } = await import('node:util');
    expect(inspect(events, { depth: 10 })).not.toMatch(/ast_very_secret|private/);
  });
});
