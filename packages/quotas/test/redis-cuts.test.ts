import { beforeAll, test } from 'vitest';
import { harmfulCases, openRedisCuts } from './redis-cuts.ts';

let cuts: Awaited<ReturnType<typeof openRedisCuts>>;
beforeAll(async () => {
  cuts = await openRedisCuts({ seed: 1 });
  return () => cuts[Symbol.asyncDispose]();
});

// `npm run campaign -- redis-cuts` does it for longer.
test.each(harmfulCases)('a $direction of Redis that meets $harm is answered right', (harmful) =>
  cuts.harmOne(harmful),
);
