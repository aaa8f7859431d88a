import { inspect } from 'node:util';
import { defaultBanPolicy, pageLimit } from '@animal-store/contract';
import { describe, expect, test, vi } from 'vitest';
import { maxPageLength } from '../src/each-pet.ts';
import { type AnimalStoreClient, createClient, version } from '../src/index.ts';
import { minStrikes, strikeShare, strikeWindowMs } from '../src/quota-knowledge.ts';
import { rejection } from './rejection.ts';
import {
  answerJson,
  baseUrl,
  deny,
  disconnect,
  hang,
  ok,
  openStore,
  refuse,
  type Step,
  scriptFetch,
} from './scripted-fetch.ts';

const cat = { id: 1, name: 'Mia', categoryId: 3, status: 'available' };
const mia = { name: 'Mia', categoryId: 3 };

/** The header fields that every request has. */
const plain = {
  accept: 'application/json',
  authorization: expect.stringMatching(/^Bearer ast_scripted_[\da-f-]+$/),
  'user-agent': `animal-store-client/${version}`,
};
const withBody = { ...plain, 'content-type': 'application/json' };

/** Creates a client that does not retry, so that each call sends one request. */
const open: typeof openStore = (steps, options) => openStore(steps, { maxRetries: 0, ...options });

test('the client uses the ban policy and the maximum page length of the contract', () => {
  const strikeWindowSeconds = strikeWindowMs / 1000;
  expect(defaultBanPolicy).toMatchObject({ minStrikes, strikeShare, strikeWindowSeconds });
  expect(maxPageLength).toBe(pageLimit.max);
});

describe('a request of the client', () => {
  const created = { ...withBody, 'idempotency-key': expect.any(String) };
  type Call = (store: AnimalStoreClient) => Promise<unknown>;

  const list = 'GET /pets?limit=50&status=sold&cursor=a%2Bb%2Fc%3D%26d';
  const ids = 'GET /pets?ids=5%2C9007199254740993&categoryId=-9223372036854775808';
  const newPet = { name: 'Mia "äö" 🐈', categoryId: 2n ** 53n + 1n, status: undefined };
  const order = { method: 'PUT', path: '/store/orders/1', query: { a: 1, b: undefined } };
  test.each<[string, string | undefined, Call]>([
    ['GET /pets', undefined, (store) => store.listPets()],
    ['GET /pets', undefined, (store) => store.listPets({ limit: undefined, ids: undefined })],
    [list, undefined, (it) => it.listPets({ limit: 50, status: 'sold', cursor: 'a+b/c=&d' })],
    [ids, undefined, (it) => it.listPets({ ids: [5, 2n ** 53n + 1n], categoryId: -(2n ** 63n) })],
    ['GET /pets/-9223372036854775808', undefined, (store) => store.getPet(-(2n ** 63n))],
    [
      'POST /pets',
      '{"name":"Mia \\"äö\\" 🐈","categoryId":9007199254740993}',
      (store) => store.createPet(newPet),
    ],
    [
      'PUT /store/orders/1?a=1',
      '{"id":1152921504606846976}',
      (store) => store.request({ ...order, body: { id: 2n ** 60n } }),
    ],
    // A cursor of this client, such as `~17~b`, contains a cursor of the service. The client sends
    // only the cursor of the service. If it gets a cursor of the service directly, it sends this
    // cursor unchanged.
    ['GET /pets?cursor=b', undefined, (store) => store.listPets({ cursor: '~17~b' })],
    ['GET /pets?cursor=a%7E1%7Eb', undefined, (store) => store.listPets({ cursor: 'a~1~b' })],
  ])('a call sends the request "%s" with the body %s', async (line, body, call) => {
    const { store, script } = open([
      line.startsWith('GET /pets?') || line === 'GET /pets' ? ok : answerJson(200, cat),
    ]);
    await call(store);
    expect(script.lines).toEqual([line]);
    const headers = line === 'POST /pets' ? created : body === undefined ? plain : withBody;
    const { init } = script.requests[0] ?? expect.unreachable();
    expect([init.body, init.redirect, init.headers]).toEqual([body, 'manual', headers]);
  });

  const keyMessage = 'idempotencyKey: expected 1 to 255 visible ASCII characters';
  const inexact = 'expected an exact integer or a bigint, got';
  test.each<[string, Call]>([
    [
      `categoryId: ${inexact} 9007199254740992`,
      (store) => store.createPet({ ...mia, categoryId: 2 ** 53 }),
    ],
    [`ids: ${inexact} 9007199254740992`, (store) => store.listPets({ ids: [1, 2 ** 53] })],
    // Regression: the client sent `"categoryId":null`, and the service responded with "got null".
    [`categoryId: ${inexact} NaN`, (store) => store.createPet({ ...mia, categoryId: Number.NaN })],
    [`ids: ${inexact} 1.5`, (store) => store.listPets({ ids: [1, 1.5] })],
    [
      `limit: ${inexact} Infinity`,
      (store) => store.eachPet({ limit: Number.POSITIVE_INFINITY }).toArray(),
    ],
    ['query: expected an object', (store) => store.listPets(null as never)],
    ['query: expected an object', (store) => store.eachPet(null as never).toArray()],
    ['pet: expected an object', (store) => store.createPet(null as never)],
    ['limit: expected a value, not null', (store) => store.listPets({ limit: null as never })],
    ['options: expected an object', (store) => store.listPets({}, null as never)],
    ['options: expected an object', (store) => store.eachPet().toArray(null as never)],
    ['max: expected a value, not null', (it) => it.eachPet().toArray({ max: null as never })],
    ['path: expected a path below baseUrl, such as /pets', (store) => store.request(null as never)],
    ['id: expected an integer', (store) => store.getPet('' as never)],
    [keyMessage, (store) => store.createPet(mia, { idempotencyKey: 'two\nlines' })],
    [keyMessage, (store) => store.createPet(mia, { idempotencyKey: 'ключ' })],
    [keyMessage, (store) => store.createPet(mia, { idempotencyKey: '' })],
    [keyMessage, (store) => store.createPet(mia, { idempotencyKey: 'k'.repeat(256) })],
  ])(
    'a call with an invalid argument rejects with a TypeError and sends nothing: %s',
    async (message, call) => {
      const { store, script } = open([answerJson(200, cat)]);
      const error = await rejection(call(store));
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toHaveProperty('message', message);
      expect(inspect(error)).not.toContain('ast_scripted');
      expect(script.requests).toEqual([]);
    },
  );

  test('createPet sends the given idempotency key, or a random one for each call', async () => {
    const { store, script } = open([answerJson(201, cat)]);
    for (const idempotencyKey of ['once-1', undefined, undefined])
      await store.createPet(mia, { idempotencyKey });
    const random = expect.stringMatching(/^\d{1,10}(?:-\d{1,10}){3}$/);
    const keys = script.fields('Idempotency-Key');
    expect(keys).toEqual(['once-1', random, random]);
    expect(keys[1]).not.toBe(keys[2]);
  });
});

test('listPets returns integers beyond 2^53 exactly, and keeps properties and statuses that a newer service adds', async () => {
  const text = '{"id":1,"name":"Mia","categoryId":9223372036854775807,"status":"lent","chip":"x1"}';
  const { store } = open([() => new Response(`[${text}]`)]);
  expect(await store.listPets()).toEqual({
    pets: [{ id: 1, name: 'Mia', categoryId: 2n ** 63n - 1n, status: 'lent', chip: 'x1' }],
    nextCursor: undefined,
    resumeCursor: '~1~',
  });
});

describe('request()', () => {
  test('request() refuses a path that would send the API key to another host or path', async () => {
    const { store, script } = open([ok]);
    for (const path of ['.evil.example/', '', 'https://evil.example/v1/pets', '/%2e%2e/admin']) {
      const refusal = new TypeError('path: expected a path below baseUrl, such as /pets');
      expect(await rejection(store.request({ path })), path).toEqual(refusal);
    }
    expect(script.requests).toEqual([]);
  });

  test.each([
    ['//evil.example/pets', {}, '//evil.example/pets'],
    ['/@evil.example', {}, '/@evil.example'],
    [
      '/ü?limit=1&a=b&c=d',
      { limit: 2, a: undefined, b: 'ä &', c: null },
      '/%C3%BC?limit=2&b=%C3%A4+%26',
    ],
  ])(
    'request() combines the path %j and the query %j to the address %j',
    async (path, query, expected) => {
      const { store, script } = open([() => new Response(null, { status: 204 })]);
      expect(await store.request({ path, query })).toBeUndefined();
      expect(script.lines).toEqual([`GET ${expected}`]);
    },
  );

  test.each([
    [{ a: [1n, null] }, '{"a":[1,null]}'],
    ['', '""'],
    [2n ** 60n, '1152921504606846976'],
    [null, 'null'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [Object.create(null), '{}'],
  ])('request() sends the body %o as JSON', async (body, text) => {
    const { store, script } = open([ok]);
    await store.request({ method: 'PUT', path: '/x', body });
    expect(script.requests[0]?.init.body).toBe(text);
  });

  test.each([new FormData(), new Uint8Array(1), new Map()])(
    'request() refuses the body %o, because it is not JSON',
    async (body) => {
      const call = open([ok]).store.request({ method: 'PUT', path: '/x', body });
      expect(await rejection(call)).toEqual(new TypeError('body: expected a JSON value'));
    },
  );
});

test('rateLimit() sends its request immediately, even when the quota is used up', async () => {
  const status = { plan: 'free', subject: 'key', bannedUntil: null, warned: false };
  const { store, script } = open([deny(3_600), answerJson(200, status), deny(3_600)]);
  await rejection(store.listPets());
  expect(await store.rateLimit()).toEqual(status);
  // A `rateLimit` call costs no quota, so its success does not show that the quota allows requests
  // again. The client must still refuse `listPets` without a request.
  expect(await rejection(store.listPets())).toMatchObject({ attempts: 0 });
  expect(script.lines).toEqual(['GET /pets', 'GET /rate-limit']);
});

describe('a function as apiKey', () => {
  test('after a 401, the client calls the function in the option `apiKey` again, and repeats the request with the new key', async () => {
    const apiKey = vi.fn().mockReturnValueOnce('ast_old').mockResolvedValue('ast_new');
    const { store, script } = open([refuse(401, 'unauthorized'), ok], { apiKey });
    await store.listPets();
    await store.listPets();
    const sent = ['Bearer ast_old', 'Bearer ast_new', 'Bearer ast_new'];
    expect(script.fields('Authorization')).toEqual(sent);
    expect(apiKey).toHaveBeenCalledTimes(2);
  });

  test('a call rejects with an error whose `cause` is the error of the function in the option `apiKey` when this function fails', async () => {
    const cause = new Error('the vault is sealed');
    const { store } = open([], { apiKey: () => Promise.reject(cause) });
    const error = { name: 'AnimalStoreError', cause, attempts: 0 };
    expect(await rejection(store.listPets())).toMatchObject(error);
  });

  test('a call rejects as soon as its signal aborts, even when the function in the option `apiKey` never returns', async () => {
    const controller = new AbortController();
    const apiKey = () => new Promise<string>(() => controller.abort());
    const call = open([ok], { apiKey }).store.listPets({}, { signal: controller.signal });
    expect(await rejection(call)).toMatchObject({ name: 'AbortError' });
  });

  // Regression: the call ignored the abort, and stayed pending until the function `apiKey` returned.
  test('a call rejects as soon as its signal aborts, even when the function in the option `apiKey` never returns after a 401', async () => {
    const controller = new AbortController();
    const apiKey = vi
      .fn()
      .mockReturnValueOnce('ast_old')
      .mockReturnValue(new Promise<string>(() => {}));
    const onRetry = vi.fn();
    const { store, script } = open([refuse(401, 'unauthorized'), ok], { apiKey, onRetry });
    const call = rejection(store.listPets({}, { signal: controller.signal }));
    await vi.waitUntil(() => apiKey.mock.calls.length === 2);
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError', attempts: 1 });
    expect(script.lines).toEqual(['GET /pets']);
    expect(onRetry).not.toHaveBeenCalled();
  });
});

describe('the options of createClient and withOptions', () => {
  test('createClient reads missing options from environment variables, and each call uses the current global `fetch`', async () => {
    vi.stubEnv('ANIMAL_STORE_BASE_URL', 'https://environment.example/v1');
    vi.stubEnv('ANIMAL_STORE_API_KEY', 'ast_environment');
    const store = createClient();
    const { fetch, requests, fields } = scriptFetch(ok);
    vi.stubGlobal('fetch', fetch);
    await store.listPets();
    expect(requests[0]?.url).toBe('https://environment.example/v1/pets');
    expect(fields('Authorization')).toEqual(['Bearer ast_environment']);
  });

  test('createClient reads no environment variable if the caller passes all options, because Deno may forbid such a read', async () => {
    const get = () => expect.unreachable('not allowed');
    vi.stubGlobal('process', { env: new Proxy({}, { get }) });
    await expect(open([ok]).store.listPets()).resolves.toHaveProperty('pets');
  });

  test('createClient and withOptions throw an error that names a missing or invalid option', () => {
    vi.stubEnv('ANIMAL_STORE_BASE_URL', undefined);
    vi.stubEnv('ANIMAL_STORE_API_KEY', undefined);
    expect(() => createClient()).toThrow(/ANIMAL_STORE_BASE_URL/);
    expect(() => createClient({ baseUrl })).toThrow(/ANIMAL_STORE_API_KEY/);
    const { store } = open([ok]);
    const noObject = new TypeError('options: expected an object');
    expect(() => createClient(null as never)).toThrow(noObject);
    expect(() => store.withOptions(null as never)).toThrow(noObject);
    const noValue = new TypeError('fetch: expected a value, not null');
    expect(() => store.withOptions({ fetch: null as never })).toThrow(noValue);
  });

  test('withOptions creates a client with the changed options, and keeps the other options', async () => {
    const { store, script } = open([disconnect, ok], { headers: { 'X-App': 'shop' } });
    const other = store.withOptions({ maxRetries: 1, baseUrl: 'https://other.example/v1/' });
    await other.listPets();
    expect(script.requests[1]?.url).toBe('https://other.example/v1/pets');
    expect(script.fields('X-App')).toEqual(['shop', 'shop']);
  });
});

test('`fetch` receives the `fetchOptions` of the client and of the call, except for options that the client sets itself', async () => {
  const fetchOptions = { cache: 'no-store', keepalive: false, method: 'DELETE', headers: {} };
  const { store, script } = open([ok], { fetchOptions });
  await store.listPets({}, { fetchOptions: { keepalive: true, signal: null } });
  const signal = expect.any(AbortSignal);
  const own = { method: 'GET', redirect: 'manual', headers: plain, signal };
  const added = { cache: 'no-store', keepalive: true };
  expect(script.requests[0]?.init).toEqual({ ...own, ...added });
});

describe('the header fields of a request', () => {
  test('header fields of createClient, withOptions and a call are merged by their case-insensitive names', async () => {
    const headers = { 'x-a': '1', 'X-B': '1', 'x-c': '1', 'X-D': '1' };
    const { store, script } = open([ok], { headers });
    const other = store
      .withOptions({ headers: { 'X-A': '2', 'x-b': undefined, 'X-C': undefined } })
      .withOptions({ headers: { 'x-B': '3' } });
    await other.listPets({}, { headers: { 'X-d': '4', 'User-Agent': 'shop/7' } });
    await other
      .withOptions({ headers: undefined })
      .listPets({}, { headers: { 'x-a': undefined, 'x-d': null } });
    const names = ['x-a', 'x-b', 'x-c', 'x-d', 'user-agent'];
    const client = `animal-store-client/${version}`;
    expect(names.map((name) => script.fields(name)[0])).toEqual(['2', '3', null, '4', 'shop/7']);
    expect(names.map((name) => script.fields(name)[1])).toEqual([null, '3', null, null, client]);
  });

  test.each([
    ['Headers', (fields: [string, string][]) => new Headers(fields)],
    ['pairs', (fields: [string, string][]) => fields],
    ['a record', (fields: [string, string][]) => Object.fromEntries(fields)],
  ])('the client, withOptions and a call accept header fields as %s', async (_what, make) => {
    const { store, script } = open([ok], {
      headers: make([
        ['x-a', '1'],
        ['x-b', '1'],
      ]),
    });
    const other = store.withOptions({
      headers: make([
        ['x-b', '2'],
        ['x-c', '2'],
      ]),
    });
    await other.listPets(
      {},
      {
        headers: make([
          ['x-c', '3'],
          ['x-d', '3'],
        ]),
      },
    );
    const names = ['x-a', 'x-b', 'x-c', 'x-d'];
    expect(names.map((name) => script.fields(name)[0])).toEqual(['1', '2', '3', '3']);
  });

  test('the option `headers` cannot replace or remove the fields that the client itself sets', async () => {
    const { store, script } = open([answerJson(201, cat)]);
    const headers = { authorization: undefined, ACCEPT: 'text/html', 'content-type': 'text/plain' };
    await store.createPet(mia, { headers, idempotencyKey: 'once-1' });
    const expected = { ...withBody, 'idempotency-key': 'once-1' };
    expect(script.requests[0]?.init.headers).toEqual(expected);
  });

  test('the client sets no User-Agent in a browser, where the CORS preflight request would have to allow the field', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko' });
    const { store, script } = open([ok]);
    await store.listPets();
    expect(script.fields('User-Agent')).toEqual([null]);
  });
});

test.each([
  ['https://store.exam', {}, ' (CORS: is https://store.exam allowed?)'],
  ['https://store.example', {}, ''],
  [undefined, undefined, ''],
  ['https://shop.example', { onLine: false }, ' (offline)'],
])(
  'in a browser page of %s with the navigator %j, the message of a failed connection ends with the hint "%s"',
  async (origin, navigator, hint) => {
    vi.stubGlobal('location', origin && { origin });
    vi.stubGlobal('navigator', navigator);
    const step = () => Promise.reject(new TypeError('Failed to fetch'));
    const { message } = (await rejection(open([step]).store.listPets())) as Error;
    expect(message).toBe(`listPets: no complete response from https://store.example/v1${hint}`);
  },
);

test('the error of a failed connection does not quote a cause that contains a URL, because the URL may contain a password', async () => {
  const cause = new Error('no route to https://user:secret@proxy.example/?token=1');
  const step = () => Promise.reject(new TypeError('fetch failed', { cause }));
  const { message } = (await rejection(open([step]).store.listPets())) as Error;
  expect(message).toBe('listPets: no complete response from https://store.example/v1');
});

async function theCallerOfTheClient(call: () => Promise<unknown>): Promise<void> {
  await call();
}
test.each<[string, Step, object]>([
  ['BadRequestError', refuse(400, 'invalid_request'), {}],
  ['TimeoutError', hang, { timeoutMs: 1 }],
  ['AbortError', ok, { signal: AbortSignal.abort() }],
])(
  'the stack of an error of the class %s contains the function that made the call',
  async (name, step, options) => {
    const { store } = open([step]);
    const error = await rejection(
      theCallerOfTheClient(async () => await store.listPets({}, options)),
    );
    expect(error).toMatchObject({ name, stack: expect.stringContaining('theCallerOfTheClient') });
  },
);

describe('the hooks of the client', () => {
  test('the hook `onRequest` receives the path with parameter names instead of values, and `onDeprecation` receives the deprecated operation', async () => {
    const [onRequest, onDeprecation] = [vi.fn(), vi.fn()];
    const answer = answerJson(200, {}, { Deprecation: '@1795219200' });
    const { store } = open([answer], { onRequest, onDeprecation });
    await store.getPet(7);
    await store.request({ path: '/store/orders/7?full=true' });
    await store.request({ path: '/store/orders/7', pathTemplate: '/store/orders/{id}' });
    const templates = ['/pets/{petId}', '/store/orders/7', '/store/orders/{id}'];
    const expected = templates.map((pathTemplate) => [{ method: 'GET', pathTemplate }]);
    expect(onRequest.mock.calls).toMatchObject(expected);
    expect(onDeprecation.mock.calls[0]).toMatchObject([{ operation: 'getPet' }]);
  });

  test('the hook `onError` receives a failed call once, without its query and without the API key', async () => {
    vi.useFakeTimers();
    const onError = vi.fn();
    const { store } = open([refuse(404, 'pet_not_found')], { onError });
    const error = await rejection(store.listPets({ cursor: 'private' }));
    const call = { operation: 'listPets', method: 'GET', pathTemplate: '/pets', attempt: 1 };
    const details = { ...call, url: `${baseUrl}/pets` };
    expect(onError.mock.calls).toEqual([[{ ...details, error, durationMs: 0 }]]);
    expect(inspect(onError.mock.calls, { depth: 10 })).not.toMatch(/ast_scripted|private/);
  });

  test('the logger receives requests and responses at level debug, retries at warn, and failures at error', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const lines: string[] = [];
    const log = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
    const logger = { debug: log('debug'), warn: log('warn'), error: log('error') };
    const { store } = open([deny(0)], { logger, maxRetries: 1 });
    await rejection(store.listPets());
    const why = 'listPets: about rate_limit_exceeded (HTTP 429, rate_limit_exceeded)';
    expect(lines).toEqual([
      'debug: Animal Store Request listPets attempt=1',
      'debug: Animal Store Response listPets attempt=1 status=429 durationMs=0',
      `warn: Animal Store Retry listPets attempt=1 delayMs=0: ${why}`,
      'debug: Animal Store Request listPets attempt=2',
      'debug: Animal Store Response listPets attempt=2 status=429 durationMs=0',
      `error: Animal Store Error listPets attempt=2 durationMs=0: ${why}`,
    ]);
  });
});
