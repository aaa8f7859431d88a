import { openRedis } from '@animal-store/testkit';
import fc from 'fast-check';
import { openTestQuotas } from '../quotas/open-test-quotas.ts';
import { createSequenceProperty } from '../quotas/quota-sequences.ts';

/** Plays random sequences of requests to the limiters, which must decide them as the model does. */
export async function run({ seed, minutes }: { seed: number; minutes: number }): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await openRedis());
  const decidesOn = (redisUrls: readonly string[]) =>
    createSequenceProperty(async (options) => {
      // Two share a Redis.
      const opening = [...redisUrls, ''].map(() => openTestQuotas({ ...options, redisUrls }));
      const replicas = await Promise.all(opening);
      for (const quotas of replicas) stack.defer(() => quotas.close());
      return replicas;
    });
  const [inMemory, onRedis] = [await decidesOn([]), await decidesOn([redis.url])];
  const endsAt = Date.now() + minutes * 60_000;
  for (let round = seed; Date.now() < endsAt; round += 1) {
    const options = { seed: round, numRuns: 100 };
    await fc.assert(onRedis, options);
    await fc.assert(inMemory, options);
  }
}
