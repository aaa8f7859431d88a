import { beforeAll, test } from 'vitest';
import { harmfulCases, openRedisCuts } from './redis-cuts.ts';

let cuts: Awaited<ReturnType<typeof openRedisCuts>>;
beforeAll(async () => {
  cuts = await openRedisCuts({ seed: 1 });
  return () => cuts[Symbol.asyncDispose]();
});

// The campaign `npm run campaign -- redis-cuts` repeats this test with other seeds for longer.
test.each(harmfulCases)(
  'quotas decide each request correctly when the proxy disturbs a Redis $direction like this: $harm',
  (harmful) => cuts.harmOne(harmful),
);
