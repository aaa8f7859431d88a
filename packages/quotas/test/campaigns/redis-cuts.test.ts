import { test } from 'vitest';
import { faultCases, openRedisCuts } from '../redis-cuts.ts';
import { campaign } from './campaign.ts';

test('quotas decide each request correctly when each connection to Redis breaks at a randomly chosen message', {
  timeout: campaign.timeoutMs,
}, async () => {
  await using cuts = await openRedisCuts({ seed: campaign.seed });
  for (const _ of campaign.seeds())
    for (const faultCase of faultCases) await cuts.runFaultCase(faultCase);
});
