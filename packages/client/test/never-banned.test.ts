import fc from 'fast-check';
import { expect, test } from 'vitest';
import { play, situation } from './never-banned.ts';

// The campaign `call-patterns` plays many more situations.

test('no pattern of calls gets the key banned, in one process or two', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (given) => {
      const { tally } = await play(given);
      expect(tally.banned).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('requests that were given up count as long as they may arrive, whoever is answered meanwhile', async () => {
  const options = { connections: Number.POSITIVE_INFINITY, maxRetries: 0, maxRetryAfterMs: 0 };
  const calls = Array.from({ length: 60 }, (_, atMs) => [
    { client: 0, atMs, abortAfterMs: 0 },
    { client: 1, atMs, abortAfterMs: undefined },
  ]).flat();
  const { tally } = await play({
    quota: { perMinute: 60, perDay: 1_000 },
    isStripped: false,
    usedBefore: 0,
    clients: [
      { ...options, maxLatencyMs: 4_000, timeoutMs: 50 },
      { ...options, maxLatencyMs: 0, timeoutMs: 50 },
    ],
    processes: [calls],
    seed: 1_827_746_502,
  });
  expect(tally.banned).toBe(0);
  expect(tally.admitted).toBeGreaterThan(20);
});
