import { test } from 'vitest';
import { harmfulCases, openRedisCuts } from '../redis-cuts.ts';
import { campaign } from './campaign.ts';

test('quotas decide each request correctly when connections to Redis break at random messages', {
  timeout: campaign.timeoutMs,
}, async () => {
  await using cuts = await openRedisCuts({ seed: campaign.seed });
  for (const _ of campaign.seeds()) for (const harmful of harmfulCases) await cuts.harmOne(harmful);
});
