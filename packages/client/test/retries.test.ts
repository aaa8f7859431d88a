import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { TimeoutError } from '../src/errors/timeout-error.ts';
import { settle, useFakeClock } from './fake-clock.ts';
import { rejection } from './rejection.ts';
import {
  answerJson,
  deny,
  disconnect,
  hang,
  ok,
  openStore,
  refuse,
  type Step,
} from './scripted-fetch.ts';

// These tests make complete calls with a client. The tests in `retry-delay.test.ts` examine only
// the decision whether and when an attempt is retried.

useFakeClock();

describe('a failed call of the client', () => {
  test.each([
    [30, [0, 31_500]],
    [71, [0]],
  ])(
    'a call that gets a 429 with Retry-After %i is sent and retried at the times %j ms',
    async (seconds, times) => {
      const { store, script } = openStore([deny(seconds), ok]);
      await settle(store.listPets().catch(() => {}));
      expect(script.sentAtMs).toEqual(times);
    },
  );

  test.each([
    [{ maxRetries: 4 }, {}, [0, 250, 750, 1_750, 3_750]],
    [{ maxRetries: 4 }, { maxRetries: 0 }, [0]],
    [{}, { maxRetries: undefined }, [0, 250, 750]],
    // A call without `maxRetries`, or with the value `undefined`, has the default of 2 retries.
  ])(
    'with the client options %j and the call options %j, a call whose connection fails is sent and retried at the times %j ms',
    async (options, callOptions, times) => {
      const { store, script } = openStore([disconnect], options);
      const error = await settle(rejection(store.listPets({}, callOptions)));
      expect(error).toMatchObject({ name: 'ConnectionError', attempts: times.length });
      expect(script.sentAtMs).toEqual(times);
    },
  );

  test.each([
    ['GET', undefined, refuse(503, 'x'), 2],
    ['POST', undefined, refuse(503, 'x'), 1],
    ['patch', undefined, disconnect, 1],
    ['POST', 'order-7', refuse(503, 'x'), 2],
    // After a 429, even a POST is retried, because the service has not executed it.
    ['POST', undefined, deny(1), 2],
  ])(
    'a failed %s request with the idempotency key %j is retried only if the repetition is safe',
    async (method, key, step, attempts) => {
      const { store, script } = openStore([step], { maxRetries: 1 });
      const request = { method, path: '/orders?secret=1', body: {}, idempotencyKey: key };
      const operation = `${method} /orders`;
      const url = 'https://store.example/v1/orders';
      const error = await settle(rejection(store.request(request)));
      expect(error).toMatchObject({ operation, url, attempts });
      expect(script.requests).toHaveLength(attempts);
    },
  );

  test('createPet sends the same idempotency key and body with each attempt', async () => {
    const steps = [disconnect, refuse(409, 'idempotency_in_progress'), answerJson(201, {})];
    const { store, script } = openStore(steps);
    await settle(store.createPet({ name: 'Mia', categoryId: 3n }));
    expect(script.requests).toHaveLength(3);
    expect(new Set(script.fields('Idempotency-Key')).size).toBe(1);
    expect(new Set(script.requests.map(({ init }) => init.body)).size).toBe(1);
    expect(script.fields('X-Retry-Count')).toEqual([null, '1', '2']);
  });

  test('a call reports each attempt to the hooks `onRequest`, `onResponse` and `onRetry`', async () => {
    const shown: unknown[] = [];
    const steps = [refuse(500, 'internal_error', { 'X-Request-Id': 'r-1' }), disconnect, ok];
    const { store } = openStore(steps, {
      onRequest: ({ operation, attempt }) => shown.push([operation, attempt]),
      onResponse: ({ attempt, status, durationMs, requestId, rateLimit }) =>
        shown.push([attempt, status, durationMs, requestId, rateLimit]),
      onRetry: ({ attempt, error, delayMs }) => shown.push([attempt, error.name, delayMs]),
    });
    await settle(store.listPets());
    expect(shown).toEqual([
      ['listPets', 1],
      [1, 500, 0, 'r-1', undefined],
      [1, 'ServerError', 250],
      ['listPets', 2],
      [2, 'ConnectionError', 500],
      ['listPets', 3],
      [3, 200, 0, undefined, undefined],
    ]);
  });

  // Regression: `durationMs` was negative.
  test('`durationMs` of `onResponse` and `onError` is not negative when the system clock is set back during the call', async () => {
    const durations: number[] = [];
    const setClockBack: Step = (request) => {
      vi.setSystemTime(Date.now() - 3_600_000);
      return refuse(404, 'pet_not_found')(request);
    };
    const { store } = openStore([setClockBack], {
      onResponse: ({ durationMs }) => durations.push(durationMs),
      onError: ({ durationMs }) => durations.push(durationMs),
    });
    await rejection(store.listPets());
    expect(durations).toEqual([0, 0]);
  });

  test('`durationMs` is a whole number of milliseconds', async () => {
    const durations: number[] = [];
    const onResponse = ({ durationMs }: { durationMs: number }) => durations.push(durationMs);
    const now = vi.spyOn(performance, 'now').mockReturnValue(7.25);
    const step: Step = () => {
      now.mockReturnValue(9.5);
      return ok();
    };
    await openStore([step], { onResponse }).store.listPets();
    expect(durations).toEqual([3]);
  });

  test('a call continues when a hook throws or rejects, and logs the failure of the hook', async () => {
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const throws = () => {
      throw new Error('a mistake');
    };
    const hooks = { onRequest: throws, onResponse: async () => throws() };
    const { store } = openStore([ok], hooks);
    expect(await settle(store.listPets())).toHaveProperty('pets');
    const reports = ['onRequest', 'onResponse'].map((name) => [
      `Animal Store: hook or logger ${name} failed: Error: a mistake`,
    ]);
    expect(report.mock.calls).toEqual(reports);
  });
});

describe('the option timeoutMs', () => {
  test('the client ends each attempt after `timeoutMs`, even when `fetch` ignores its signal', async () => {
    const { store, script } = openStore([hang], { timeoutMs: 1_000 });
    const message = 'listPets: no complete response within 1000 ms';
    const error = await settle(rejection(store.listPets()));
    expect(error).toMatchObject({ name: 'TimeoutError', message });
    expect(script.sentAtMs).toEqual([0, 1_250, 2_750]);
    expect(script.requests.map(({ init }) => init.signal?.aborted)).toEqual([true, true, true]);
  });

  test.each([
    [{}, {}, 30_000],
    [{ timeoutMs: 70 }, { timeoutMs: 50 }, 50],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, {}, 2 ** 31 - 1],
  ])(
    'a call without a response, with the client options %j and the call options %j, times out after %i ms',
    async (options, callOptions, expected) => {
      const { store } = openStore([hang], { ...options, maxRetries: 0 });
      const start = Date.now();
      await settle(rejection(store.listPets({}, callOptions)));
      expect(Date.now() - start).toBe(expected);
    },
  );

  test.each([
    [{}, 70_000],
    [{ maxRetryAfterMs: 0 }, 30_000],
  ])(
    'with the options %j, a call that waits for earlier requests times out after %i ms, and its error says that the call was not sent',
    async (options, expected) => {
      const { store, script } = openStore([hang], { ...options, maxRetries: 0 });
      const start = Date.now();
      const calls = Array.from({ length: 8 }, async () => {
        const { name, message, attempts } = (await rejection(store.listPets())) as TimeoutError;
        return { name, message, attempts, afterMs: Date.now() - start };
      });
      const errors = (await settle(Promise.all(calls))) as Awaited<(typeof calls)[number]>[];
      const notSent = errors.filter(({ attempts }) => attempts === 0);
      expect(notSent).toEqual(
        Array(8 - script.requests.length).fill({
          name: 'TimeoutError',
          message: `listPets: the request was not sent: no response to earlier requests within ${expected} ms`,
          attempts: 0,
          afterMs: expected,
        }),
      );
      expect(notSent).not.toEqual([]);
    },
  );
});

test('a call sends nothing when its signal is already aborted', async () => {
  const { store, script } = openStore([ok]);
  const cause = new Error('changed my mind');
  const error = await rejection(store.listPets({}, { signal: AbortSignal.abort(cause) }));
  const message = 'listPets: aborted while waiting for attempt 1';
  expect(error).toMatchObject({ name: 'AbortError', message, cause });
  expect(script.requests).toEqual([]);
});

test.each([
  ['the response of a fetch that ignores its signal', [hang]],
  ['the next attempt', [deny(30), ok]],
])(
  'a call rejects immediately when its signal aborts during the wait for %s, calls the hook `onError`, and leaves no timer or listener',
  async (_what, steps) => {
    // Regression: `onError` was not called when the signal aborted before the next attempt.
    const onError = vi.fn();
    const { store, script } = openStore(steps, { onError });
    const controller = new AbortController();
    const { signal } = controller;
    const call = rejection(store.listPets({}, { signal }));
    await vi.advanceTimersByTimeAsync(100);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    const error = await call;
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ error, durationMs: 100 })]]);
    expect(error).toMatchObject({
      name: 'AbortError',
      message: expect.stringMatching(
        /^listPets: aborted while waiting for (the response|attempt 2)$/,
      ),
      cause: signal.reason,
    });
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(script.requests).toHaveLength(1);
  },
);
