import { expect, test } from 'vitest';
import { createConcurrencyLimit, type Span } from './concurrency-limit.ts';

/** Starts requests until the limit is reached. Returns the period of each request. */
function fill(limit: ReturnType<typeof createConcurrencyLimit>, now: number): Span[] {
  const started: Span[] = [];
  while (limit.hasRoom(now)) started.push(limit.start());
  return started;
}

/**
 * Simulates a constant overload: there are always further requests that wait, and the store
 * finishes 100 requests every `stepMs`. So a request takes longer the more requests are in flight.
 */
function createOverload() {
  const limit = createConcurrencyLimit(0);
  const inFlight: { span: Span; startedAt: number }[] = [];
  let now = 0;
  let most = 0;
  const start = () => {
    inFlight.push(...fill(limit, now).map((span) => ({ span, startedAt: now })));
    most = Math.max(most, inFlight.length);
  };
  return {
    /** Lets the time pass, and returns the largest number of requests in flight. */
    run(ms: number, stepMs: number): number {
      most = 0;
      for (const end = now + ms; now < end; ) {
        start();
        now += stepMs;
        for (const { span, startedAt } of inFlight.splice(0, 100)) {
          limit.finish(span, now - startedAt);
        }
      }
      return most;
    },
  };
}

test('the concurrency limit stays low after a pause in which all requests were slow', () => {
  const overload = createOverload();
  // Without a pause, 100 requests finish every 4 ms, so 250 requests finish in the target time of
  // 10 ms.
  const usual = overload.run(1_000, 4);
  overload.run(300, 150);
  expect(overload.run(1_000, 4)).toBeLessThanOrEqual(usual);
  expect(overload.run(20_000, 4)).toBeLessThanOrEqual(usual);
});

test('when all requests have been slower for 5 s, the concurrency limit falls to 100 and measures the time of the fastest request again', () => {
  const overload = createOverload();
  overload.run(1_000, 4);
  // Now 100 requests finish every 20 ms. The target time stays 10 ms, as long as the limit keeps
  // the time of the fast requests from before.
  expect(overload.run(4_500, 20)).toBeLessThanOrEqual(300);
  overload.run(1_500, 20);
  // The fastest request takes 20 ms if 100 requests are in flight, so the target time is 40 ms.
  expect(overload.run(3_000, 20)).toBe(200);
});

test('the concurrency limit keeps the time of the fastest request while other requests are about as fast', () => {
  const overload = createOverload();
  overload.run(1_000, 40);
  const most = Array.from({ length: 300 }, () => overload.run(200, 44));
  expect(Math.min(...most)).toBeGreaterThan(150);
});
