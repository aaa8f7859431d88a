import fc from 'fast-check';
import { expect, test } from 'vitest';
import { play, situation } from './never-banned.ts';

// `heavy/never-banned.heavy.test.ts` plays many more of these.

test('no pattern of calls gets the key banned, in one process or two', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (given) => {
      const { tally } = await play(given);
      expect(tally.banned).toBe(0);
    }),
    { numRuns: 40 },
  );
});
