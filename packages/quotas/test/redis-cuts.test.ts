import { beforeAll, test } from 'vitest';
import { harmfulCases, openRedisCuts } from './redis-cuts.ts';

let cuts: Awaited<ReturnType<typeof openRedisCuts>>;
beforeAll(async () => {
  cuts = await openRedisCuts({ seed: 1 });
  return () => cuts[Symbol.asyncDispose]();
});

// The campaign `npm run campaign -- redis-cuts` repeats this test with other seeds for longer.
test.each(harmfulCases)(
  'quotas decide correctly when a Redis $direction is disturbed: $harm',
  (harmful) => cuts.harmOne(harmful),
);
