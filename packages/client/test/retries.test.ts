import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ClientOptions, createClient, type RetryEvent } from '../src/index.ts';
import { rejection } from './rejection.ts';
import {
  answerJson,
  deny,
  disconnect,
  hang,
  refuse,
  type Step,
  scriptFetch,
  stall,
} from './scripted-fetch.ts';

const pet = { id: 1, name: 'Mia', categoryId: 3 };
const ok = answerJson(200, [pet]);
const created = answerJson(201, pet);

/** A key of its own for each client: all clients of a process that share a key share its quota. */
let keys = 0;

function open(steps: Step[], options: Partial<ClientOptions> = {}) {
  const script = scriptFetch(...steps);
  const baseUrl = 'https://store.example/v1';
  const store = createClient({
    baseUrl,
    apiKey: `ast_retries_${++keys}`,
    fetch: script.fetch,
    ...options,
  });
  return { store, script };
}

/** Lets the clock run until nothing waits any more, and tells how the call ended. */
async function settle<T>(call: Promise<T>): Promise<T> {
  const settled = Promise.allSettled([call]);
  await vi.runAllTimersAsync();
  await settled;
  expect(vi.getTimerCount()).toBe(0);
  return call;
}

function fail(): never {
  throw new Error('a mistake in the hook');
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a call that fails for the moment', () => {
  test.each([
    ['a lost connection', disconnect],
    ['408', refuse(408, 'timeout')],
    ['409 in progress', refuse(409, 'idempotency_in_progress')],
    ['429', refuse(429, 'rate_limit_exceeded')],
    ['500', refuse(500, 'internal_error')],
    ['502', () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
    ['503', refuse(503, 'service_unavailable')],
    ['504', () => new Response('', { status: 504 })],
  ] as [string, Step][])(
    'with %s is tried twice again, after 250 and 500 ms',
    async (_what, step) => {
      const { store, script } = open([step]);
      const error = await settle(rejection(store.listPets()));
      expect(script.waitsMs).toEqual([250, 500]);
      expect(error).toMatchObject({ name: expect.stringMatching(/Error$/) });

      const second = open([step, step, ok]);
      await expect(settle(second.store.listPets())).resolves.toMatchObject({
        pets: [pet],
        nextCursor: undefined,
      });
      expect(second.script.waitsMs).toEqual([250, 500]);
    },
  );

  test.each([
    ['400', refuse(400, 'invalid_request')],
    ['401', refuse(401, 'unauthorized')],
    ['404', refuse(404, 'not_found')],
    ['409 of another kind', refuse(409, 'other')],
    ['422', refuse(422, 'idempotency_key_reused')],
    ['501', refuse(501, 'not_implemented')],
    ['a ban', deny(1, 'key_temporarily_banned')],
    ['a success that is no JSON', () => new Response('<h1>Wi-Fi</h1>')],
    ['a redirect', () => new Response(null, { status: 302 })],
  ] as [string, Step][])('for good, with %s, is not', async (_what, step) => {
    const { store, script } = open([step, ok]);
    expect(await settle(rejection(store.listPets()))).toBeInstanceOf(Error);
    expect(script.requests).toHaveLength(1);
  });

  test.each([
    [{ maxRetries: 0 }, {}, []],
    [{ maxRetries: 1 }, {}, [250]],
    [{ maxRetries: 4 }, {}, [250, 500, 1_000, 2_000]],
    [{ maxRetries: 4 }, { maxRetries: 0 }, []],
    [{ maxRetries: 0 }, { maxRetries: 1 }, [250]],
    [{}, { maxRetries: undefined }, [250, 500]],
  ])('with the options %j and %j waits %j', async (options, callOptions, expected) => {
    const { store, script } = open([disconnect], options);
    await settle(rejection(store.listPets({}, callOptions)));
    expect(script.waitsMs).toEqual(expected);
  });

  test('is not tried again for ever if maxRetries is no number', async () => {
    const { store, script } = open([disconnect, disconnect, disconnect, ok]);
    const error = await settle(rejection(store.listPets({}, { maxRetries: Number.NaN })));
    expect(error).toMatchObject({ name: 'ConnectionError' });
    expect(script.requests).toHaveLength(1);
  });

  test('shows each attempt to the hooks', async () => {
    const shown: unknown[] = [];
    const steps = [refuse(500, 'internal_error', { 'X-Request-Id': 'r-1' }), disconnect, ok];
    const { store } = open(steps, {
      onRequest: ({ operation, attempt }) => shown.push({ operation, attempt, sent: true }),
      onResponse: ({ operation, attempt, status, durationMs, requestId, rateLimit }) =>
        shown.push({ operation, attempt, status, durationMs, requestId, rateLimit }),
      onRetry: ({ operation, attempt, error, delayMs }: RetryEvent) =>
        shown.push({ operation, attempt, error: error.name, delayMs }),
    });

    await settle(store.listPets());

    const operation = 'listPets';
    const other = { durationMs: 0, rateLimit: undefined };
    expect(shown).toEqual([
      { operation, attempt: 1, sent: true },
      { operation, attempt: 1, status: 500, requestId: 'r-1', ...other },
      { operation, attempt: 1, error: 'ServerError', delayMs: 250 },
      { operation, attempt: 2, sent: true },
      { operation, attempt: 2, error: 'ConnectionError', delayMs: 500 },
      { operation, attempt: 3, sent: true },
      { operation, attempt: 3, status: 200, requestId: undefined, ...other },
    ]);
  });

  test.each([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('is not affected by a hook that %s, which is reported', async (_how, hook) => {
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onError: hook };

    const first = open([refuse(500, 'internal_error'), ok], hooks);
    expect((await settle(first.store.listPets())).pets).toEqual([pet]);
    const second = open([refuse(400, 'invalid_request')], hooks);
    await settle(rejection(second.store.listPets()));

    expect(report.mock.calls.map(([message]) => message)).toEqual(
      ['onRequest', 'onResponse', 'onRetry', 'onRequest', 'onResponse']
        .concat(['onRequest', 'onResponse', 'onError'])
        .map((name) => `Animal Store: ${name} failed: Error: a mistake in the hook`),
    );
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a creation', () => {
  test('has the same idempotency key on each attempt, and the same body', async () => {
    const { store, script } = open([disconnect, refuse(409, 'idempotency_in_progress'), created]);
    await settle(store.createPet({ name: 'Mia', categoryId: 3n }));
    await settle(store.createPet({ name: 'Mia', categoryId: 3 }));

    const sent = script.requests.map(({ init }) => [
      new Headers(init.headers).get('Idempotency-Key'),
      init.body,
    ]);
    expect(sent).toHaveLength(4);
    expect(sent[0]).toEqual([expect.stringMatching(/./), '{"name":"Mia","categoryId":3}']);
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[2]).toEqual(sent[0]);
    expect(sent[3]?.[0]).not.toBe(sent[0]?.[0]);
  });
});

describe('Retry-After', () => {
  const now = 'Sat, 21 Nov 2026 00:00:00 GMT';
  test.each([
    [429, '30', 31_500],
    [503, '30', 31_500],
    [429, '0', 0],
    [429, '60', 63_000],
    [429, 'Sat, 21 Nov 2026 00:00:30 GMT', 31_500],
    [503, 'Saturday, 21-Nov-26 00:00:30 GMT', 31_500],
    [429, 'Fri, 20 Nov 2026 00:00:00 GMT', 0],
    [429, 'soon', 250],
    [503, '-5', 250],
    [429, '1.5', 250],
    [429, '1, 2', 2_100],
    [500, '30', 250],
  ])('of a %i, %j, makes the client wait %i ms', async (status, retryAfter, expected) => {
    const step = refuse(status, 'some_code', { 'Retry-After': retryAfter, Date: now });
    const { store, script } = open([step, ok]);
    await expect(settle(store.listPets())).resolves.toMatchObject({
      pets: [pet],
      nextCursor: undefined,
    });
    expect(script.waitsMs).toEqual([expected]);
  });

  test.each([0, 0.999])('is never cut short (random %f)', async (random) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const { store, script } = open([deny(7), ok]);
    await settle(store.listPets());
    expect(script.waitsMs).toEqual([random === 0 ? 7_000 : 7_700]);
  });

  test.each([
    [429, '71', {}],
    [503, '71', {}],
    [429, '86400', {}],
    [429, '6', { maxRetryAfterMs: 5_000 }],
  ])('of a %i, %s s, is too long under %j', async (status, retryAfter, options) => {
    const { store, script } = open(
      [refuse(status, 'some_code', { 'Retry-After': retryAfter })],
      options,
    );
    const error = await settle(rejection(store.listPets()));
    expect(error).toMatchObject({ status, code: 'some_code' });
    expect(script.requests).toHaveLength(1);
  });

  test('of a 429 is told by its error', async () => {
    const { store } = open([deny(71)]);
    await expect(settle(store.listPets())).rejects.toMatchObject({
      name: 'RateLimitError',
      retryAfterMs: 71_000,
      banned: false,
    });
  });
});

describe('timeoutMs', () => {
  test.each([
    ['a server that never answers', stall],
    ['a fetch that heeds no signal', hang],
    [
      'a body that never ends',
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
    ],
  ] as [string, Step][])('ends each attempt against %s', async (_what, step) => {
    const { store, script } = open([step], { timeoutMs: 1_000 });
    const error = await settle(rejection(store.listPets()));
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: 'listPets: no complete answer within 1000 ms',
    });
    expect(script.waitsMs).toEqual([1_250, 1_500]);
    expect(script.requests.map(({ init }) => init.signal?.aborted)).toEqual([true, true, true]);
  });

  test.each([
    [{}, {}, 30_000],
    [{ timeoutMs: 70 }, {}, 70],
    [{ timeoutMs: 70 }, { timeoutMs: 50 }, 50],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, {}, 2 ** 31 - 1],
  ])('with the options %j and %j is %i', async (options, callOptions, expected) => {
    const { store } = open([hang], options);
    const start = Date.now();
    await settle(rejection(store.listPets({}, { ...callOptions, maxRetries: 0 })));
    expect(Date.now() - start).toBe(expected);
  });
});

describe('a signal', () => {
  test('that is aborted already sends nothing', async () => {
    const { store, script } = open([ok]);
    const reason = new Error('changed my mind');
    const error = await rejection(store.listPets({}, { signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ name: 'AbortError', cause: reason });
    expect(script.requests).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['the answer', [stall]],
    ['the answer of a fetch that heeds no signal', [hang]],
    ['the next attempt', [refuse(500, 'internal_error'), ok]],
    ['Retry-After', [deny(30), ok]],
  ] as [string, Step[]][])(
    'ends a call at once that waits for %s, and leaves nothing',
    async (_what, steps) => {
      const { store, script } = open(steps);
      const controller = new AbortController();
      const add = vi.spyOn(controller.signal, 'addEventListener');
      const remove = vi.spyOn(controller.signal, 'removeEventListener');
      const call = rejection(store.listPets({}, { signal: controller.signal }));
      await vi.advanceTimersByTimeAsync(100);
      expect(vi.getTimerCount()).toBe(1);

      controller.abort();

      expect(await call).toMatchObject({ name: 'AbortError', cause: controller.signal.reason });
      expect(vi.getTimerCount()).toBe(0);
      for (const listener of add.mock.calls) expect(remove.mock.calls).toContainEqual(listener);
      await vi.runAllTimersAsync();
      expect(script.requests).toHaveLength(1);
    },
  );

  test('that aborts later does not disturb a call that has ended', async () => {
    const { store } = open([disconnect, ok]);
    const controller = new AbortController();
    await expect(settle(store.listPets({}, { signal: controller.signal }))).resolves.toMatchObject({
      pets: [pet],
      nextCursor: undefined,
    });
    controller.abort();
    expect(vi.getTimerCount()).toBe(0);
  });
});
