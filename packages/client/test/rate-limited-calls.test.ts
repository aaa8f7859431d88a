import { describe, expect, test, vi } from 'vitest';
import { createClient, RateLimitError } from '../src/index.ts';
import { settle, useFakeClock } from './fake-clock.ts';
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

// These tests make complete calls with a client. The tests in `quota-gate.test.ts` examine only the
// rules for waiting.

/** Advances the fake clock, and runs the timers that expire in this time. */
const elapse = (ms: number) => vi.advanceTimersByTimeAsync(ms);

useFakeClock({ random: 0 });

test('lastRateLimit returns the quota state from the last response that contained a quota state', async () => {
  const state = { limit: 60, resetAt: new Date('2026-11-21T00:01:00Z') };
  const quota = (remaining: number) => ({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': '1795219260',
  });
  const first = answerJson(200, [], { ...quota(2), 'X-Request-Id': 'r-7' });
  const onResponse = vi.fn();
  const { store } = openStore([first, refuse(404, 'not_found', quota(1)), ok], { onResponse });
  expect(store.lastRateLimit).toBeUndefined();
  const rateLimit = { ...state, remaining: 2 };
  const expected = { data: { pets: [] }, requestId: 'r-7', rateLimit };
  expect(await store.listPets().withResponse()).toMatchObject(expected);
  await rejection(store.listPets());
  // The third response comes from a proxy and has no rate-limit headers, so `lastRateLimit` does
  // not change.
  await store.listPets();
  expect(store.lastRateLimit).toEqual({ ...state, remaining: 1 });
  const seen = onResponse.mock.calls.map(([event]) => event.rateLimit?.remaining);
  expect(seen).toEqual([2, 1, undefined]);
});

describe('calls with the same API key after a 429', () => {
  test.each<[string, Step[], number[]]>([
    ['wait for the reset, and one of them is sent first', [deny(30), ok], [0, 30, 30, 30]],
    ['wait again when the first of them gets a 429', [deny(20), deny(40), ok], [0, 20, 60, 60, 60]],
    [
      'are sent when the first of them loses its connection',
      [deny(30), disconnect, ok],
      [0, 30, 30, 30, 30],
    ],
    ['do not wait when the 429 has no Retry-After', [refuse(429, 'x'), ok], [0, 0, 0, 0]],
  ])(
    'calls with the same API key respect an earlier 429: they %s',
    async (_what, steps, seconds) => {
      const { store, script } = openStore(steps);
      const calls: Promise<unknown>[] = [store.listPets()];
      await elapse(0);
      calls.push(store.listPets({}, { maxRetries: 1 }), store.listPets({}, { maxRetries: 1 }));
      await settle(Promise.allSettled(calls));
      expect(script.sentAtMs).toEqual(seconds.map((second) => second * 1_000));
    },
  );

  test('after a 429, calls with the same API key wait exactly until the reset, whatever the jitter and the system clock are', async () => {
    const { store, script } = openStore([deny(30), ok]);
    const failed = rejection(store.listPets({}, { maxRetries: 0 }));
    await elapse(10_000);
    vi.spyOn(Math, 'random').mockReturnValue(1);
    vi.setSystemTime(Date.now() - 86_400_000);
    const start = Date.now();
    await settle(Promise.all([failed, store.listPets()]));
    expect((script.requests[1]?.atMs ?? 0) - start).toBe(20_000);
  });

  test('when the first call that waits after a 429 is aborted, the next waiting call is sent', async () => {
    const { store, script } = openStore([deny(30), hang, ok]);
    await Promise.all([rejection(store.listPets({}, { maxRetries: 0 })), elapse(0)]);
    const first = new AbortController();
    const aborted = rejection(store.listPets({}, { signal: first.signal }));
    const other = store.listPets();
    await elapse(31_000);
    expect(script.sentAtMs).toEqual([0, 30_000]);
    first.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    await settle(other);
    expect(script.sentAtMs).toEqual([0, 30_000, 31_000]);
  });

  test('after a 429, calls with the same API key fail immediately if their `maxRetryAfterMs` is 0', async () => {
    const { store, script } = openStore([deny(30), ok], { maxRetryAfterMs: 0 });
    expect(await rejection(store.listPets())).toMatchObject({ attempts: 1 });
    expect(await rejection(store.listPets())).toBeInstanceOf(RateLimitError);
    expect(script.sentAtMs).toEqual([0]);
  });

  test('a 429 delays the calls of all clients with the same API key and base URL, but not the calls of other clients', async () => {
    const { fetch, requests } = scriptFetch(deny(30), ok);
    const apiKey = 'ast_of_several_clients';
    await rejection(createClient({ baseUrl, apiKey, fetch }).listPets({}, { maxRetries: 0 }));
    const patient = createClient({ baseUrl, apiKey, fetch });
    const waiting = [patient.listPets(), patient.withOptions({ headers: { a: 'b' } }).listPets()];
    await elapse(1_000);
    expect(requests).toHaveLength(1);
    await createClient({ baseUrl, apiKey: 'ast_other', fetch }).listPets();
    await createClient({ baseUrl: 'https://staging.example/v1', apiKey, fetch }).listPets();
    expect(requests).toHaveLength(3);
    await settle(Promise.all(waiting));
  });
});

// During a ban, the client sends at most one request a minute, as `quota-gate.test.ts` tests. This
// test makes its second call within that minute, so the client refuses the call.
test('during a ban, the client refuses calls without sending them', async () => {
  const { store, script } = openStore([deny(300, 'key_temporarily_banned'), ok]);
  const refused = { name: 'RateLimitError', code: 'key_temporarily_banned', banned: true };
  expect(await rejection(store.listPets())).toMatchObject({ ...refused, retryAfterMs: 300_000 });
  await elapse(20_500);
  // The service rounds `Retry-After` up to whole seconds, and so does the client.
  expect(await rejection(store.listPets())).toMatchObject({ ...refused, retryAfterMs: 280_000 });
  expect(script.sentAtMs).toEqual([0]);
});

describe('a call that waits for the quota', () => {
  test('a call that waits for the quota calls the hook `onWait` and the logger once, and its AbortError says what it was waiting for', async () => {
    const onWait = vi.fn();
    const logger = { debug: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const { store } = openStore([deny(30), ok], { maxRetries: 0, onWait, logger });
    await rejection(store.listPets());
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = rejection(store.listPets({}, { signal }));
    await elapse(20_000);
    const other = store.listPets();
    await elapse(0);
    const wait = { operation: 'listPets', reason: 'quota' };
    expect(onWait.mock.calls).toMatchObject([
      [{ ...wait, delayMs: 30_000, queued: 1 }],
      [{ ...wait, delayMs: 10_000, queued: 2 }],
    ]);
    expect(logger.warn.mock.calls.map(([message]) => message)).toEqual([
      'Animal Store Wait listPets attempt=0 delayMs=30000 reason=quota queued=1',
      'Animal Store Wait listPets attempt=0 delayMs=10000 reason=quota queued=2',
    ]);
    controller.abort();
    const message = 'listPets: aborted while waiting for the reset of the quota';
    expect(await aborted).toMatchObject({ name: 'AbortError', message });
    await settle(other);
  });

  test('a call that waits for the responses to earlier requests calls the hook `onWait` after five seconds, and not earlier', async () => {
    const onWait = vi.fn();
    const { store } = openStore([hang], { maxRetries: 0, onWait });
    const calls = [1, 2, 3, 4].map(() => rejection(store.listPets()));
    await elapse(4_999);
    expect(onWait).not.toHaveBeenCalled();
    await elapse(1);
    expect(onWait.mock.calls).toMatchObject([[{ reason: 'queue', delayMs: 65_000, queued: 1 }]]);
    await settle(Promise.all(calls));
    expect(onWait).toHaveBeenCalledTimes(1);
  });
});
