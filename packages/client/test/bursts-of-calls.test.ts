import { plans } from '@animal-store/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyPatternIsSafe, play } from './call-patterns.ts';

// The campaign `call-patterns` plays many more situations. In each, `play` checks that the key is
// not banned and no animal is added twice.

test('no pattern of calls gets the key banned, or adds an animal twice', () =>
  fc.assert(anyPatternIsSafe, { seed: 1, numRuns: 5 }));

const { free, business } = plans;
const five = { perMinute: 5, perDay: 1_000 };
const atOnce = (calls: number) =>
  Array.from({ length: calls }, (_, client) => ({ atMs: 0, client }));

describe('many concurrent calls with the default options', () => {
  test.each([
    ['wait for the next minute', free, 100, 0, {}, 100],
    ['wait for the next minute when it is four seconds away', free, 100, 4_000, {}, 100],
    ['succeed as far as two minutes have room', free, 200, 100, {}, 120],
    ['succeed as far as two of five minutes have room', five, 60, 100, {}, 10],
    ['all wait with a larger maxRetryAfterMs', free, 300, 0, { maxRetryAfterMs: 6 * 60_000 }, 300],
  ])('%s', async (_what, quota, calls, latencyMs, options, expected) => {
    const client = { latencyMs: [latencyMs, latencyMs] as const, ...options };
    const { tally, outcomes, tookMs } = await play({
      quota,
      clients: [client, client, client],
      processes: [atOnce(calls)],
    });
    expect(tally).toMatchObject({ admitted: expected, denied: 0 });
    // A call that cannot be sent in time is refused earlier, without being sent.
    const refused = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []));
    expect(refused).toHaveLength(calls - expected);
    for (const error of refused) {
      expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0 });
      expect(error.retryAfterMs).toBeGreaterThan(110_000);
    }
    // The time of each needed window, a tenth of a minute, and ten round trips.
    const windows = Math.ceil(expected / quota.perMinute);
    expect(tookMs).toBeLessThanOrEqual(60_000 * (windows - 1) + 6_000 * windows + 10 * latencyMs);
  });

  test.each([
    [free, 'restart'],
    [five, 'none'],
  ] as const)('finish in time with %o in three processes and %s', async (quota, trouble) => {
    const clients = [{ latencyMs: [100, 100] as const }];
    const processes = [atOnce(100), atOnce(100), atOnce(100)];
    const { outcomes } = await play({ quota, clients, processes, trouble });
    expect(outcomes.map((it) => 'error' in it && it.error.name)).not.toContain('TimeoutError');
  });

  test('all succeed without rate-limit headers', async () => {
    const { tally, tookMs } = await play({
      quota: business,
      clients: [{ latencyMs: [400, 400] }],
      processes: [atOnce(250)],
      isStripped: true,
    });
    expect(tally.admitted).toBe(250);
    // Three at a time would take 67 s.
    expect(tookMs).toBeLessThan(50_000);
  });
});

test('the client sends one request a minute when the day is used up and calls continue', async () => {
  // With fifteen calls every ten seconds, the 150 requests of the day are used up after two
  // minutes.
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
