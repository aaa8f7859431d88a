import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ClientOptions, createClient, RateLimitError } from '../src/index.ts';
import { rejection } from './rejection.ts';
import { answerJson, deny, disconnect, refuse, type Step, scriptFetch } from './scripted-fetch.ts';

const ok = answerJson(200, []);

/** A key of its own for each client: all clients of a process that share a key share its quota. */
let keys = 0;

function open(steps: Step[], options: Partial<ClientOptions> = {}) {
  const script = scriptFetch(...steps);
  const baseUrl = 'https://store.example/v1';
  const start = Date.now();
  return {
    store: createClient({
      baseUrl,
      apiKey: `ast_limited_${++keys}`,
      fetch: script.fetch,
      ...options,
    }),
    script,
    /** When the requests were sent, in milliseconds from the start. */
    sentAtMs: () => script.requests.map(({ atMs }) => atMs - start),
  };
}

/** Lets the clock run for a while; what becomes due in the meantime happens. */
const elapse = (ms: number) => vi.advanceTimersByTimeAsync(ms);

async function settle<T>(calls: Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  const settled = Promise.allSettled(calls);
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
  return settled;
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('lastRateLimit', () => {
  const quota = (remaining: number) => ({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': '1795219260',
  });
  const state = { limit: 60, resetAt: new Date('2026-11-21T00:01:00Z') };

  test('is the last state seen, of whatever answer', async () => {
    const steps = [answerJson(200, [], quota(2)), refuse(404, 'not_found', quota(1)), ok];
    const { store } = open(steps);
    expect(store.lastRateLimit).toBeUndefined();
    await store.listPets();
    expect(store.lastRateLimit).toEqual({ ...state, remaining: 2 });
    await rejection(store.listPets());
    expect(store.lastRateLimit).toEqual({ ...state, remaining: 1 });
    // A proxy's answer says nothing of it.
    await store.listPets();
    expect(store.lastRateLimit).toEqual({ ...state, remaining: 1 });
  });

  test('comes with each answer too, and with its event', async () => {
    const events: unknown[] = [];
    const { store } = open([answerJson(200, [], { ...quota(7), 'X-Request-Id': 'r-7' }), ok], {
      onResponse: ({ rateLimit }) => events.push(rateLimit),
    });
    expect(await store.listPets().withResponse()).toMatchObject({
      data: { pets: [] },
      requestId: 'r-7',
      rateLimit: { ...state, remaining: 7 },
    });
    expect(await store.listPets().withResponse()).toMatchObject({
      requestId: undefined,
      rateLimit: undefined,
    });
    expect(events).toEqual([{ ...state, remaining: 7 }, undefined]);
  });
});

describe('after a 429 the other calls with the key', () => {
  test('wait for the reset, and then one goes first', async () => {
    let answerScout = (_response: Response) => {};
    const scout: Step = () => new Promise((resolve) => (answerScout = resolve));
    const { store, script, sentAtMs } = open([deny(30), scout, ok]);
    const first = store.listPets();
    await elapse(10_000);
    const others = [store.listPets(), store.listPets({}, { maxRetries: 0 }), store.listPets()];
    await elapse(19_999);
    expect(sentAtMs()).toEqual([0]);

    await elapse(1);
    expect(sentAtMs()).toEqual([0, 30_000]);
    await elapse(5_000);
    expect(script.requests).toHaveLength(2);

    answerScout(await ok());
    const results = await settle([first, ...others]);
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
    expect(sentAtMs()).toEqual([0, 30_000, 35_000, 35_000, 35_000]);
  });

  test('wait for as long as is worth waiting for, and no longer', async () => {
    const { store, sentAtMs } = open([deny(60), ok]);
    const first = store.listPets();
    await elapse(0);
    const other = store.listPets({}, { maxRetries: 0 });
    const results = await settle([first, other]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(sentAtMs()).toEqual([0, 60_000, 60_000]);
  });

  test('wait exactly for the reset, whatever the jitter of the retry', async () => {
    const { store, sentAtMs } = open([deny(30), ok]);
    const failed = rejection(store.listPets({}, { maxRetries: 0 }));
    await elapse(10_000);
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const other = store.listPets();
    await settle([failed, other]);
    expect(sentAtMs()).toEqual([0, 30_000]);
  });

  test('wait again if the first to go is denied', async () => {
    const { store, sentAtMs } = open([deny(20), deny(40), ok]);
    const calls = [store.listPets()];
    await elapse(0);
    calls.push(store.listPets(), store.listPets());
    const results = await settle(calls);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    expect(sentAtMs()).toEqual([0, 20_000, 60_000, 60_000, 60_000]);
  });

  test('fail as soon as the reset is further away than they may still wait', async () => {
    const { store, sentAtMs } = open([deny(30)]);
    const first = rejection(store.listPets({}, { maxRetries: 0 }));
    await elapse(0);
    const start = Date.now();
    const others = ['one', 'two', 'three'].map(async () => {
      const error = await rejection(store.listPets({}, { maxRetries: 0 }));
      return { error, afterMs: Date.now() - start };
    });
    await settle([first, ...others]);

    // One is sent at each reset, and denied. After a minute nobody may wait for another.
    const denied = { name: 'RateLimitError', detail: 'about rate_limit_exceeded', attempts: 1 };
    const refused = {
      name: 'RateLimitError',
      detail: 'not sent, retry in 30 s',
      attempts: 0,
      retryAfterMs: 30_000,
    };
    expect(await Promise.all(others)).toMatchObject([
      { error: denied, afterMs: 30_000 },
      { error: denied, afterMs: 60_000 },
      { error: refused, afterMs: 60_000 },
    ]);
    expect(sentAtMs()).toEqual([0, 30_000, 60_000]);
  });

  test('are aborted at once while they wait, and leave nothing', async () => {
    const { store, sentAtMs } = open([deny(30), ok]);
    await Promise.all([rejection(store.listPets({}, { maxRetries: 0 })), elapse(0)]);
    const controller = new AbortController();
    const call = rejection(store.listPets({}, { signal: controller.signal }));
    await elapse(10_000);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError', cause: controller.signal.reason });
    expect(vi.getTimerCount()).toBe(0);
    expect(sentAtMs()).toEqual([0]);
  });

  test('are aborted at once while they wait for the first to go', async () => {
    const { store, sentAtMs } = open([deny(30), () => new Promise(() => {})]);
    const first = rejection(store.listPets());
    await elapse(0);
    const controller = new AbortController();
    const call = rejection(store.listPets({}, { signal: controller.signal }));
    await elapse(31_000);
    expect(sentAtMs()).toEqual([0, 30_000]);
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
    await settle([first]);
  });

  test('send another first if that one is aborted', async () => {
    const { store, sentAtMs } = open([deny(30), () => new Promise(() => {}), ok]);
    const first = rejection(store.listPets({}, { maxRetries: 0 }));
    await elapse(0);
    const controller = new AbortController();
    const aborted = rejection(store.listPets({}, { signal: controller.signal }));
    const others = [store.listPets(), store.listPets()];
    await elapse(31_000);
    expect(sentAtMs()).toEqual([0, 30_000]);
    controller.abort();
    await settle([first, aborted, ...others]);
    expect(sentAtMs()).toEqual([0, 30_000, 31_000, 31_000]);
  });

  test('go if that one loses its connection', async () => {
    const { store, sentAtMs } = open([deny(30), disconnect, ok]);
    const first = rejection(store.listPets({}, { maxRetries: 0 }));
    await elapse(0);
    const others = [rejection(store.listPets({}, { maxRetries: 0 })), store.listPets()];
    await settle([first, ...others]);
    expect(sentAtMs()).toEqual([0, 30_000, 30_000]);
  });

  test('go if that one is answered with another failure', async () => {
    const { store, sentAtMs } = open([deny(30), refuse(404, 'not_found'), ok]);
    const first = rejection(store.listPets());
    await elapse(0);
    const others = [store.listPets(), store.listPets()];
    await settle([first, ...others]);
    expect(sentAtMs()).toEqual([0, 30_000, 30_000, 30_000]);
  });

  test('go at once when the time is up already', async () => {
    const { store, sentAtMs } = open([deny(30), ok]);
    await Promise.all([rejection(store.listPets({}, { maxRetries: 0 })), elapse(30_000)]);
    await store.listPets();
    await store.listPets();
    expect(sentAtMs()).toEqual([0, 30_000, 30_000]);
  });

  test('never wait longer than the 429 asked, wherever the clock is set', async () => {
    const { store, script } = open([deny(30), ok]);
    await Promise.all([rejection(store.listPets({}, { maxRetries: 0 })), elapse(0)]);
    vi.setSystemTime(Date.now() - 86_400_000);
    const start = Date.now();
    await settle([store.listPets()]);
    expect((script.requests[1]?.atMs ?? 0) - start).toBe(30_000);
  });

  test('do not wait if how long is no number', async () => {
    const { store, sentAtMs } = open([deny(30), ok], { maxRetryAfterMs: Number.NaN });
    await rejection(store.listPets());
    expect(await rejection(store.listPets())).toBeInstanceOf(RateLimitError);
    expect(sentAtMs()).toEqual([0]);
  });

  test('do not wait if the 429 does not say how long', async () => {
    const { store, sentAtMs } = open([refuse(429, 'rate_limit_exceeded'), ok]);
    await Promise.all([rejection(store.listPets({}, { maxRetries: 0 })), elapse(0)]);
    await store.listPets();
    expect(sentAtMs()).toEqual([0, 0]);
  });

  test('do not wait at all with maxRetryAfterMs 0', async () => {
    const { store, sentAtMs } = open([deny(30), ok], { maxRetryAfterMs: 0 });
    expect(await rejection(store.listPets())).toMatchObject({ attempts: 1 });
    await elapse(1_000);
    expect(await rejection(store.listPets())).toMatchObject({ attempts: 0, retryAfterMs: 29_000 });
    expect(sentAtMs()).toEqual([0]);
  });

  test('are those of all clients that use the key, and of no others', async () => {
    const { fetch, requests } = scriptFetch(deny(30), ok);
    const baseUrl = 'https://store.example/v1';
    const apiKey = `ast_limited_${++keys}`;
    await rejection(createClient({ baseUrl, apiKey, fetch }).listPets({}, { maxRetries: 0 }));
    const patient = createClient({ baseUrl, apiKey, fetch });
    const waiting = [patient.listPets(), patient.withOptions({ headers: { a: 'b' } }).listPets()];
    await elapse(1_000);
    expect(requests).toHaveLength(1);

    await createClient({ baseUrl, apiKey: 'ast_other', fetch }).listPets();
    await createClient({ baseUrl: 'https://staging.example/v1', apiKey, fetch }).listPets();
    expect(requests).toHaveLength(3);
    await settle(waiting);
  });
});

describe.each([
  ['a 429 that asks for more than is worth waiting for', deny(3_600), 'rate_limit_exceeded', false],
  ['a ban', deny(300, 'key_temporarily_banned'), 'key_temporarily_banned', true],
])('after %s', (_what, step, code, banned) => {
  test('the other calls with the key are refused without being sent', async () => {
    const { store, sentAtMs } = open([step, ok]);
    const first = await rejection(store.listPets());
    await elapse(20_500);
    const error = await rejection(store.listPets());

    expect(sentAtMs()).toEqual([0]);
    expect(first).toBeInstanceOf(RateLimitError);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).not.toBe(first);
    expect(error).toMatchObject({ status: 429, code, banned });
    const waitMs = (first as RateLimitError).retryAfterMs ?? 0;
    // Rounded up, as the service does.
    expect((error as RateLimitError).retryAfterMs).toBe(waitMs - 20_000);
    expect((first as RateLimitError).headers.get('Retry-After')).toBe(String(waitMs / 1_000));
  });

  test('one of them goes each minute, in case the operator was kind', async () => {
    const { store, sentAtMs } = open([step, step, ok]);
    await rejection(store.listPets());
    await elapse(59_999);
    await rejection(store.listPets());
    await elapse(1);
    const [scout, other] = await settle([store.listPets(), store.listPets()]);
    expect(sentAtMs()).toEqual([0, 60_000]);
    expect([scout?.status, other?.status]).toEqual(['rejected', 'rejected']);

    await elapse(60_000);
    await settle([store.listPets()]);
    await settle([store.listPets(), store.listPets()]);
    expect(sentAtMs()).toEqual([0, 60_000, 120_000, 120_000, 120_000]);
  });
});

test('one of them goes after a minute also when the clock was set back', async () => {
  const { store, script } = open([deny(3_600), ok]);
  await rejection(store.listPets());
  vi.setSystemTime(Date.now() - 86_400_000);
  await rejection(store.listPets());
  await elapse(60_000);
  await store.listPets();
  expect(script.requests).toHaveLength(2);
});

test('a call waits once less than the maximum remains', async () => {
  const { store, sentAtMs } = open([deny(90), ok]);
  await rejection(store.listPets());
  await elapse(19_999);
  await rejection(store.listPets());
  await elapse(1);
  await settle([store.listPets()]);
  expect(sentAtMs()).toEqual([0, 90_000]);
});
