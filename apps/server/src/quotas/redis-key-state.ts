import { Cluster } from 'ioredis';
import { type KeyAndAccount, type KeyState, QuotasAwayError, subjectOf } from './key-quotas.ts';
import type { MemoryKeyLimiter } from './memory-key-limiter.ts';
import type { RedisConnection } from './open-redis.ts';
import { banNameOf, namePrefix, windowBytes } from './redis-format.ts';
import type { CircuitBreaker } from './without-redis.ts';

/**
 * Creates what changes the state of a key in Redis: ends or moves its ban, or empties its windows. Each is one script,
 * because a request or another change may come between two commands. In a Cluster, a script may only use one slot,
 * and a key and its account have different ones: there an unban and a move are a script for each slot.
 */
export function createRedisKeyState(options: {
  redis: RedisConnection;
  breaker: Pick<CircuitBreaker, 'run'>;
  insurance: Pick<MemoryKeyLimiter, 'unban' | 'empty'>;
}): KeyState {
  const { redis, breaker, insurance } = options;

  async function orAway(change: () => Promise<unknown>): Promise<void> {
    try {
      await breaker.run(change);
    } catch (cause) {
      throw new QuotasAwayError('Redis does not answer.', { cause });
    }
  }

  async function endBan({ id, accountId }: KeyAndAccount): Promise<void> {
    const own = nameOf({ id });
    if (accountId === undefined) {
      await redis.endBan(1, own);
    } else if (redis instanceof Cluster) {
      await redis.endBan(1, own);
      await redis.del(nameOf({ id, accountId }));
      // The ban may have moved back meanwhile.
      await redis.endBan(1, own);
    } else {
      await redis.endBan(2, own, nameOf({ id, accountId }));
    }
  }

  async function moveBan(from: KeyAndAccount, to: KeyAndAccount): Promise<void> {
    const windows = [bytesBefore(from), bytesBefore(to)];
    if (!(redis instanceof Cluster)) {
      await redis.moveBanBuffer(2, nameOf(from), nameOf(to), ...windows);
      return;
    }
    const taken = await redis.moveBanBuffer(1, nameOf(from), ...windows);
    if (taken === null) return;
    const [ban, ttlMs] = taken;
    if (to.accountId === undefined) await redis.setBan(nameOf(to), ban, ttlMs);
    else await redis.set(nameOf(to), ban, 'PX', ttlMs);
  }

  return {
    async unban(key) {
      await orAway(() => endBan(key));
      insurance.unban(key.id);
    },

    async moveBan(from, to) {
      await breaker.run(() => moveBan(from, to)).catch(() => {});
    },

    async credit(key) {
      const subject = subjectOf(key);
      await orAway(() => redis.credit(`${namePrefix}:${subject}`));
      insurance.empty(subject);
    },
  };
}

function nameOf(key: KeyAndAccount): string {
  return banNameOf(`${namePrefix}:${subjectOf(key)}`, key);
}

/** How many bytes of windows are in front of the ban state of a key. */
function bytesBefore({ accountId }: KeyAndAccount): number {
  return accountId === undefined ? windowBytes : 0;
}
