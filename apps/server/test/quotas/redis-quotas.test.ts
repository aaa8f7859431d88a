import { type Redis, openRedis as startRedis } from '@animal-store/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRedis, type RedisConnection } from '../../src/quotas/open-redis.ts';
import { createRedisQuotas } from './open-limiters.ts';
import { suiteOptions } from './quota-subject.ts';
import { describeQuotas } from './quota-suite.ts';

describe('on Redis', () => {
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

  describeQuotas(async () => {
    await redis.flushall();
    let now = 1_800_000_000_321;
    return {
      quotas: createRedisQuotas({ ...suiteOptions, redis, now: () => now }),
      now: () => now,
      advance: async (ms) => {
        now += ms;
      },
    };
  });
});
