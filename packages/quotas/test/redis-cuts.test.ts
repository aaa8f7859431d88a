import { beforeAll, test } from 'vitest';
import { harmfulCases, openRedisCuts } from './redis-cuts.ts';

let cuts: Awaited<ReturnType<typeof openRedisCuts>>;
beforeAll(async () => {
  cuts = await openRedisCuts({ seed: 1 });
  return () => cuts[Symbol.asyncDispose]();
});

// `npm run campaign -- redis-cuts` runs this for longer.
test.each(harmfulCases)(
  'quotas decide correctly when a $direction of Redis meets $harm',
  (harmful) => cuts.harmOne(harmful),
);
