import { openRedis } from '@animal-store/testkit';
import fc from 'fast-check';
import { test } from 'vitest';
import { openTestQuotas } from '../open-test-quotas.ts';
import { createSequenceProperty } from '../quota-sequences.ts';
import { campaign } from './campaign.ts';

test('the memory store and the Redis store decide random sequences of requests in the same way as a simple model', {
  timeout: campaign.timeoutMs,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await openRedis());
  const decidesOn = (urls: readonly string[]) =>
    createSequenceProperty(async (options) => {
      // The test uses two replicas that share the quotas in Redis. In memory, it uses one replica.
      const source = urls.length === 0 ? undefined : urls;
      const opening = [...urls, ''].map(() => openTestQuotas({ ...options, redis: source }));
      const replicas = await Promise.all(opening);
      for (const quotas of replicas) stack.defer(() => quotas.close());
      return replicas;
    });
  const [inMemory, onRedis] = [await decidesOn([]), await decidesOn([redis.url])];
  for (const seed of campaign.seeds()) {
    const options = { seed, numRuns: 100 };
    await fc.assert(onRedis, options);
    await fc.assert(inMemory, options);
  }
});
