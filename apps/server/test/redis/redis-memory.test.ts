import { expect, test } from 'vitest';
import { openRedisQuotas } from '../quotas/open-redis-quotas.ts';
import { suiteOptions } from '../quotas/quota-subject.ts';
import { useRedis } from '../quotas/use-redis.ts';

const redis = useRedis();

test('an API key takes at most 270 bytes of Redis, with every window open and a ban', async () => {
  const { connection } = redis;
  let now = Date.now();
  const quotas = openRedisQuotas({ ...suiteOptions, redis: connection, now: () => now });
  const key = { id: crypto.randomUUID(), quota: { perMinute: 1, perDay: 1_000 } };
  const size = () => connection.memory('USAGE', `animal-store:key:${key.id}`);

  await quotas.keys.take(key);
  expect(await size()).toBeLessThanOrEqual(270);

  await quotas.keys.take(key);
  now += 1_000;
  let decision = await quotas.keys.take(key);
  while (decision.outcome !== 'banned') decision = await quotas.keys.take(key);
  expect(await size()).toBeLessThanOrEqual(270);
});
