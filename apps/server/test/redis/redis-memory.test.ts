import { expect, test } from 'vitest';
import { createRedisQuotas } from '../quotas/open-limiters.ts';
import { suiteOptions } from '../quotas/quota-subject.ts';
import { useRedis } from '../quotas/use-redis.ts';

const redis = useRedis();

test('an API key takes at most 270 bytes of Redis, with every window open and a ban', async () => {
  const { connection } = redis;
  let now = Date.now();
  const quotas = createRedisQuotas({ ...suiteOptions, redis: connection, now: () => now });
  const key = { id: crypto.randomUUID(), quota: { perMinute: 1, perDay: 1_000 } };
  const size = () => connection.memory('USAGE', `animal-store:key:{${key.id}}`);

  await quotas.keys.consume(key.id, 1, key);
  expect(await size()).toBeLessThanOrEqual(270);

  await quotas.keys.consume(key.id, 1, key);
  now += 1_000;
  let decision = await quotas.keys.consume(key.id, 1, key);
  while (decision.outcome !== 'banned') decision = await quotas.keys.consume(key.id, 1, key);
  expect(await size()).toBeLessThanOrEqual(270);
});
