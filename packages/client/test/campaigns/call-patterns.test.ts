import fc from 'fast-check';
import { test } from 'vitest';
import { anyPatternIsSafe } from '../call-patterns.ts';

// biome-ignore lint/style/noProcessEnv: `npm run campaign` sets the seed and the time limit
const { CAMPAIGN_SEED = '1', CAMPAIGN_MINUTES = '1' } = process.env;

test('clients that make random patterns of calls never get their API key banned, and never add an animal twice', async () => {
  const interruptAfterTimeLimit = 60_000 * Number(CAMPAIGN_MINUTES);
  const options = { seed: Number(CAMPAIGN_SEED), numRuns: 1e6, interruptAfterTimeLimit };
  await fc.assert(anyPatternIsSafe, options);
}, 0);
