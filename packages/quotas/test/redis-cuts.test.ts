import { beforeAll, test } from 'vitest';
import { faultCases, openRedisCuts } from './redis-cuts.ts';

let cuts: Awaited<ReturnType<typeof openRedisCuts>>;
beforeAll(async () => {
  cuts = await openRedisCuts({ seed: 1 });
  return () => cuts[Symbol.asyncDispose]();
});

// The campaign `npm run campaign -- redis-cuts` repeats this test with other seeds for longer.
test.each(faultCases)(
  'quotas count each request once when a $direction between the service and Redis has this fault: $fault',
  (faultCase) => cuts.runFaultCase(faultCase),
);
