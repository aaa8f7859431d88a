import { type Redis, openRedis as startRedis } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedis, type RedisConnection } from '../../src/quotas/open-redis.ts';
import { createRedisQuotas } from '../quotas/open-limiters.ts';
import { suiteOptions } from '../quotas/quota-subject.ts';

let server: Redis;
let redis: RedisConnection;

beforeAll(async () => {
  server = await startRedis();
  redis = openRedis([server.url]);
  await new Promise((resolve) => redis.once('ready', resolve));
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

test('an API key takes at most 270 bytes of Redis, with every window open and a ban', async () => {
  let now = Date.now();
  const quotas = createRedisQuotas({ ...suiteOptions, redis, now: () => now });
  const key = { id: crypto.randomUUID(), quota: { perMinute: 1, perDay: 1_000 } };
  const size = () => redis.memory('USAGE', `animal-store:key:{${key.id}}`);

  await quotas.takeForKey(key);
  expect(await size()).toBeLessThanOrEqual(270);

  await quotas.takeForKey(key);
  now += 1_000;
  let decision = await quotas.takeForKey(key);
  while (decision.outcome !== 'banned') decision = await quotas.takeForKey(key);
  expect(await size()).toBeLessThanOrEqual(270);
});
