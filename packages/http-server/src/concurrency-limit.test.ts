import { expect, test } from 'vitest';
import { createConcurrencyLimit, type Period } from './concurrency-limit.ts';

/**
 * Starts requests until the concurrency limit is reached. Returns for each request the period in
 * which the request started.
 */
function fill(limit: ReturnType<typeof createConcurrencyLimit>, now: number): Period[] {
  const started: Period[] = [];
  while (limit.hasRoom(now)) started.push(limit.start());
  return started;
}

/**
 * Simulates a constant overload. Further requests always wait, and the simulated database finishes
 * 100 requests every `stepMs`. So each request takes longer the more requests are in flight.
 */
function createOverload() {
  const limit = createConcurrencyLimit(0);
  const inFlight: { period: Period; startedAt: number }[] = [];
  let now = 0;
  let most = 0;
  const start = () => {
    inFlight.push(...fill(limit, now).map((period) => ({ period, startedAt: now })));
    most = Math.max(most, inFlight.length);
  };
  return {
    /** Advances the simulated time, and returns the largest number of requests in flight. */
    run(ms: number, stepMs: number): number {
      most = 0;
      for (const end = now + ms; now < end; ) {
        start();
        now += stepMs;
        for (const { period, startedAt } of inFlight.splice(0, 100)) {
          limit.finish(period, now - startedAt);
        }
      }
      return most;
    },
  };
}

test('after a pause of the process has made all requests slow, the concurrency limit does not rise', () => {
  const overload = createOverload();
  // In this first second, the simulated database finishes 100 requests every 4 ms. The target time
  // is twice the time of a request, but at least 10 ms. So the limit is the 250 requests that finish
  // in 10 ms. Then the process pauses for 150 ms, twice.
  const usual = overload.run(1_000, 4);
  overload.run(300, 150);
  expect(overload.run(1_000, 4)).toBeLessThanOrEqual(usual);
  expect(overload.run(20_000, 4)).toBeLessThanOrEqual(usual);
});

test('after the database or Redis has become slower, the concurrency limit measures again how long requests take', () => {
  const overload = createOverload();
  overload.run(1_000, 4);
  // From now on, the simulated database finishes 100 requests every 20 ms. Until the limit has
  // measured this new time, it must not rise, because its target time is still 10 ms.
  expect(overload.run(1_000, 20)).toBeLessThanOrEqual(300);
  // The limit has now measured that requests take 20 ms. The target time is twice as long, 40 ms.
  // In this time, 200 requests finish.
  expect(overload.run(3_000, 20)).toBe(200);
});

/**
 * Simulates a database that handles all requests at the same time. One request starts every
 * `everyMs`, unless the limit does not allow it. `durationOf` returns the time of a request.
 *
 * @returns the number of requests after the first second that could not start.
 */
function countDelayed(
  everyMs: number,
  totalMs: number,
  durationOf: (n: number, now: number) => number,
): number {
  const limit = createConcurrencyLimit(0);
  const finishes: { at: number; durationMs: number; period: Period }[] = [];
  let delayed = 0;
  for (let n = 0; n * everyMs < totalMs; n += 1) {
    const now = n * everyMs;
    const durationMs = durationOf(n, now);
    for (const finish of finishes.filter(({ at }) => at <= now)) {
      limit.finish(finish.period, finish.durationMs);
      finishes.splice(finishes.indexOf(finish), 1);
    }
    if (limit.hasRoom(now))
      finishes.push({ at: now + durationMs, durationMs, period: limit.start() });
    else if (now >= 1_000) delayed += 1;
  }
  return delayed;
}

// Regression: a single fast request lowered the limit to 100 requests in flight for 5 s. If each
// request waits 50 ms for Redis, only 2,000 requests can then finish in a second.
test('when a few requests are fast because they use neither the database nor Redis, the concurrency limit does not fall', () => {
  const durationOf = (n: number) => (n % 20 === 0 ? 0.2 : 50);
  expect(countDelayed(1 / 3, 12_000, durationOf)).toBe(0);
});

test('the concurrency limit delays no request when the database or Redis becomes only 10 % slower', () => {
  const durationOf = (_n: number, now: number) => (now < 2_000 ? 50 : 55);
  expect(countDelayed(1 / 3, 12_000, durationOf)).toBe(0);
});

// Regression: for 5 s after Postgres or Redis had become slower, requests were refused while the
// CPU was idle.
test('the concurrency limit rises within half a second after the database or Redis has become slower', () => {
  const durationOf = (_n: number, now: number) => (now < 2_000 ? 3 : 50);
  // If the limit stayed at 100 requests of 50 ms each, only 2,000 of the 3,000 requests of each
  // second could start. So 500 requests could not start in half a second.
  expect(countDelayed(1 / 3, 10_000, durationOf)).toBeLessThan(0.5 * 1_000);
});
