import { plans } from '@animal-store/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySituation, play } from './call-patterns.ts';

// The campaign `call-patterns` plays many more situations.

test('no pattern of calls gets the key banned, or adds an animal twice', async () => {
  const property = fc.asyncProperty(
    anySituation,
    async (situation) => void (await play(situation)),
  );
  await fc.assert(property, { seed: 1, numRuns: 10 });
});

const atOnce = (calls: number) =>
  Array.from({ length: calls }, (_, client) => ({ atMs: 0, client }));

describe('many calls at once, with the default options,', () => {
  const { free, pro, business } = plans;
  const five = { perMinute: 5, perDay: 1_000 };

  test.each([
    ['are all answered with a Free key', free, 60, 0, {}, 60],
    ['wait for the next minute', free, 100, 0, {}, 100],
    ['wait for it a second away', free, 100, 1_000, {}, 100],
    ['wait for it four seconds away', free, 100, 4_000, {}, 100],
    ['are answered as far as two minutes have room', free, 200, 100, {}, 120],
    ['are answered as far as two minutes of five have room', five, 60, 100, {}, 10],
    ['all wait with more patience', free, 300, 0, { maxRetryAfterMs: 6 * 60_000 }, 300],
  ])('%s', async (_what, quota, calls, latencyMs, options, expected) => {
    const clients = Array.from({ length: 3 }, () => {
      return { latencyMs: [latencyMs, latencyMs] as const, ...options };
    });
    const { tally, outcomes, tookMs } = await play({
      quota,
      clients,
      processes: [atOnce(calls)],
      seed: 1,
    });
    expect(tally).toMatchObject({ admitted: expected, denied: 0 });
    // Who cannot be answered in time is refused before that, without being sent.
    const refused = outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []));
    expect(refused).toHaveLength(calls - expected);
    for (const error of refused)
      expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    for (const error of refused) expect(error.retryAfterMs).toBeGreaterThan(110_000);
    // Each window that was needed, a tenth of a minute, and ten journeys.
    const windows = Math.ceil(expected / quota.perMinute);
    expect(tookMs).toBeLessThanOrEqual(60_000 * (windows - 1) + 6_000 * windows + 10 * latencyMs);
  });

  test.each([
    [pro, 1, 'lost connections'],
    [free, 3, 'restart'],
    [five, 3, 'none'],
  ] as const)(
    'with %o in %i processes, with trouble %s, have time',
    async (quota, count, trouble) => {
      const clients = [{ latencyMs: [100, 100] as const }];
      const processes = Array.from({ length: count }, () => atOnce(300 / count));
      const { outcomes } = await play({ quota, clients, processes, trouble, seed: 1 });
      const names = new Set(outcomes.map((it) => 'error' in it && it.error.name));
      expect(names).not.toContain('TimeoutError');
      if (trouble === 'none') expect(names).not.toContain('ConnectionError');
    },
  );

  test('are all answered without rate-limit headers, too', async () => {
    const { tally, tookMs } = await play({
      quota: business,
      clients: [{ latencyMs: [400, 400] }],
      processes: [atOnce(250)],
      isStripped: true,
      seed: 1,
    });
    expect(tally.admitted).toBe(250);
    // Three at a time would take 67 s.
    expect(tookMs).toBeLessThan(50_000);
  });
});

test('who goes on when the day is used up has one request a minute sent', async () => {
  // Fifteen calls every ten seconds: the 150 of the day are gone after two minutes.
  const times = Array.from({ length: 20 * 6 }, (_, index) => index * 10_000);
  const calls = times.flatMap((atMs) => Array.from({ length: 15 }, () => ({ atMs, client: 0 })));
  const { tally, outcomes } = await play({
    quota: { perMinute: 60, perDay: 150 },
    clients: [{ latencyMs: [0, 50] }],
    processes: [calls],
    seed: 1,
  });
  expect(tally.admitted).toBe(150);
  expect(outcomes.filter((outcome) => 'id' in outcome)).toHaveLength(150);
  expect(tally.denied).toBeLessThanOrEqual(20);
  expect(tally.denied).toBeGreaterThan(14);
});

test('requests that were given up count as long as they may arrive, whoever is answered meanwhile', async () => {
  const options = { maxRetries: 0, maxRetryAfterMs: 0, timeoutMs: 50 };
  const calls = Array.from({ length: 60 }, (_, atMs) => [
    { client: 0, atMs, abortAfterMs: 0 },
    { client: 1, atMs },
  ]).flat();
  const { tally } = await play({
    quota: plans.free,
    clients: [
      { ...options, latencyMs: [0, 4_000] },
      { ...options, latencyMs: [0, 0] },
    ],
    processes: [calls],
    seed: 1_827_746_502,
  });
  expect(tally.admitted).toBeGreaterThan(20);
});
