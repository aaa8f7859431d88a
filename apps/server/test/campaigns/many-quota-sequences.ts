import { openRedis as startRedis } from '@animal-store/testkit';
import fc from 'fast-check';
import { createMemoryQuotas } from '../../src/quotas/memory-quotas.ts';
import { openRedis, untilReady } from '../../src/quotas/open-redis.ts';
import { openRedisQuotas } from '../quotas/open-redis-quotas.ts';
import { patientClient } from '../quotas/patient-client.ts';
import { quotaOptions } from '../quotas/quota-options.ts';
import { createSequenceProperties } from '../quotas/sequence-player.ts';

/** Plays random sequences of requests to the limiters, which must decide them as the model does. */
export async function run({ seed, minutes }: { seed: number; minutes: number }): Promise<void> {
  await using server = await startRedis();
  const redis = openRedis([server.url], 1_000);
  try {
    await untilReady(redis, { ms: 10_000 });
    const onRedis = createSequenceProperties((options) => [
      openRedisQuotas({ ...options, redis }),
      openRedisQuotas({ ...options, redis }),
    ]);
    const inMemory = createSequenceProperties(({ banPolicy, now }) => [
      { ...createMemoryQuotas({ ...quotaOptions(now), banPolicy }), close() {} },
    ]);
    const endsAt = Date.now() + minutes * 60_000;
    for (let round = seed; Date.now() < endsAt; round += 1) {
      const options = { seed: round, numRuns: 100 };
      await fc.assert(onRedis.inTurn, options);
      await fc.assert(onRedis.inBatches, options);
      await fc.assert(inMemory.inTurn, options);
      fc.assert(patientClient, options);
    }
  } finally {
    redis.disconnect();
  }
}
