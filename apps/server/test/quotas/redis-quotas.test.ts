import { afterEach, beforeEach, describe, vi } from 'vitest';
import type { RedisConnection } from '../../src/quotas/open-redis.ts';
import { openRedisQuotas } from './open-redis-quotas.ts';
import { suiteOptions } from './quota-subject.ts';
import { describeQuotas } from './quota-suite.ts';
import { useRedis } from './use-redis.ts';

describe('on Redis', () => {
  const redis = useRedis();

  beforeEach(() => {
    // Not on a whole second, where rounding would not show.
    vi.useFakeTimers({ now: 1_800_000_000_321, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  describeQuotas(async () => {
    const { connection } = redis;
    await connection.flushall();
    const holdExpiries = createHeldExpiries(connection);
    return {
      quotas: openRedisQuotas({ ...suiteOptions, redis: connection, now: () => Date.now() }),
      now: () => Date.now(),
      async advance(ms) {
        await holdExpiries();
        vi.setSystemTime(Date.now() + ms);
      },
      beforeNetwork: holdExpiries,
    };
  });
});

/**
 * Lets the windows of networks end by the clock of the test. The library leaves their ends to Redis's
 * expiry, which knows only Redis's own clock.
 */
function createHeldExpiries(connection: RedisConnection) {
  const ends = new Map<string, number>();
  return async () => {
    for (const name of await connection.keys('animal-store:network:*')) {
      const endsAt = ends.get(name) ?? Date.now() + 60_000;
      ends.set(name, endsAt);
      if (endsAt > Date.now()) await connection.pexpire(name, endsAt - Date.now());
      else {
        await connection.del(name);
        ends.delete(name);
      }
    }
  };
}
