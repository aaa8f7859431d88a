import { describe } from 'vitest';
import { createRedisQuotas } from './open-limiters.ts';
import { suiteOptions } from './quota-subject.ts';
import { describeQuotas } from './quota-suite.ts';
import { useRedis } from './use-redis.ts';

describe('on Redis', () => {
  const redis = useRedis();

  describeQuotas(async () => {
    const { connection } = redis;
    await connection.flushall();
    let now = 1_800_000_000_321;
    return {
      quotas: createRedisQuotas({ ...suiteOptions, redis: connection, now: () => now }),
      now: () => now,
      advance: async (ms) => {
        now += ms;
      },
    };
  });
});
