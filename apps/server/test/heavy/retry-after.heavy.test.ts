import { setTimeout as wait } from 'node:timers/promises';
import { openRedis } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { randomOf, startReplicas } from '../support/replicas.ts';

// Heavy because it waits for the end of a real minute: the replicas and Redis each have a clock.
test('waiting exactly as long as Retry-After says admits the next request, on any replica', async () => {
  await using redis = await openRedis();
  const env = { REDIS_URL: redis.url, REPLICAS: '3' };
  await using replicas = await startReplicas({ env: [env, env, env] });
  const ask = (token: string) => replicas.ask(randomOf(replicas.servers), token);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const token = await replicas.createToken({ perMinute: 1, perDay: 1_000 });
      const admitted = await ask(token);
      const denied = await ask(token);
      await wait(denied.retryAfter * 1_000);
      return [admitted.status, denied.status, (await ask(token)).status];
    }),
  );
  expect(outcomes).toEqual(Array(20).fill([200, 429, 200]));
});
