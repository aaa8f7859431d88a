import { plans } from '@animal-store/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyPatternIsSafe, play } from './call-patterns.ts';

// This test plays five random patterns. The campaign (long test) `call-patterns` plays many more.
// In each pattern, `play` checks that the API key is not banned and that no animal is added twice.

test('clients that make random patterns of calls never get their API key banned, and never add an animal twice', () =>
  fc.assert(anyPatternIsSafe, { seed: 1, numRuns: 5 }));

const { free, business } = plans;
const five = { perMinute: 5, perDay: 1_000 };
const atOnce = (calls: number) =>
  Array.from({ length: calls }, (_, client) => ({ atMs: 0, client }));

describe('many concurrent calls', () => {
  test.each([
    ['wait for the next minute window', free, 100, 0, {}, 100],
    ['wait for the next minute window with a latency of four seconds', free, 100, 4_000, {}, 100],
    ['succeed up to the quota of two minutes, and the other calls fail', free, 200, 100, {}, 120],
    ['succeed up to the quota of two minutes, which allow 5 requests each', five, 60, 100, {}, 10],
    [
      'all succeed with a larger maxRetryAfterMs',
      free,
      300,
      0,
      { maxRetryAfterMs: 6 * 60_000 },
      300,
    ],
  ])(
    'many concurrent calls of three clients with one quota do not exceed the quota: they %s',
    async (_what, quota, calls, latencyMs, options, expected) => {
      const client = { latencyMs: [latencyMs, latencyMs] as const, ...options };
      const { tally, outcomes, tookMs } = await play({
        quota,
        clients: [client, client, client],
        processes: [atOnce(calls)],
      });
      expect(tally).toMatchObject({ admitted: expected, denied: 0 });
      // The client refuses a call immediately and sends no request, if the call would have to wait
      // longer than `maxRetryAfterMs`.
      const refused = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []));
      expect(refused).toHaveLength(calls - expected);
      for (const error of refused) {
        expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0 });
        expect(error.retryAfterMs).toBeGreaterThan(110_000);
      }
      // The calls of the first window wait for no reset. So the calls of `windows` windows take
      // `windows - 1` minutes, plus a tolerance: 6 s for each window, and ten times the latency.
      const windows = Math.ceil(expected / quota.perMinute);
      expect(tookMs).toBeLessThanOrEqual(60_000 * (windows - 1) + 6_000 * windows + 10 * latencyMs);
    },
  );

  test.each([
    [free, 'restart'],
    [five, 'none'],
  ] as const)(
    'many concurrent calls of three processes finish without a timeout, with the quota %o and the fault "%s"',
    async (quota, trouble) => {
      const clients = [{ latencyMs: [100, 100] as const }];
      const processes = [atOnce(100), atOnce(100), atOnce(100)];
      const { outcomes } = await play({ quota, clients, processes, trouble });
      expect(outcomes.map((it) => 'error' in it && it.error.name)).not.toContain('TimeoutError');
    },
  );

  test('many concurrent calls all succeed when a proxy removes the rate-limit headers', async () => {
    const { tally, tookMs } = await play({
      quota: business,
      clients: [{ latencyMs: [400, 400] }],
      processes: [atOnce(250)],
      isStripped: true,
    });
    expect(tally.admitted).toBe(250);
    // A run of less than 50 s shows that the gate allows many unanswered requests, although a proxy
    // removes the rate-limit headers. With only three requests at a time, the calls would take 67
    // s.
    expect(tookMs).toBeLessThan(50_000);
  });
});

test('the client sends only one request a minute when the quota of the day is used up, to find out whether it is still used up', async () => {
  // The test makes fifteen calls every ten seconds, which is 90 calls a minute. So the API key has
  // used up its 150 requests of the day in the second minute.
  const times = Array.from({ length: 12 * 6 }, (_, index) => index * 10_000);
  const { tally } = await play({
    quota: { perMinute: 60, perDay: 150 },
    clients: [{ latencyMs: [0, 50] }],
    processes: [times.flatMap((atMs) => Array.from({ length: 15 }, () => ({ atMs, client: 0 })))],
  });
  expect(tally.admitted).toBe(150);
  expect(tally.denied).toBeLessThanOrEqual(12);
  expect(tally.denied).toBeGreaterThan(6);
});
