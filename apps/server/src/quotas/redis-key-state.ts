import { type KeyAndAccount, type KeyState, QuotasAwayError, subjectOf } from './key-quotas.ts';
import type { MemoryKeyLimiter } from './memory-key-limiter.ts';
import type { RedisConnection } from './open-redis.ts';
import { banNameOf, namePrefix, windowBytes } from './redis-format.ts';
import type { CircuitBreaker } from './without-redis.ts';

const noBan = Buffer.alloc(0);

/**
 * Creates what changes the state of a key in Redis: ends or moves its ban, or empties its windows. An unban while
 * Redis is away is repeated when it is back.
 */
export function createRedisKeyState(options: {
  redis: RedisConnection;
  breaker: Pick<CircuitBreaker, 'run'>;
  insurance: Pick<MemoryKeyLimiter, 'unban' | 'empty'>;
}): KeyState & { repeatMissedUnbans(): void } {
  const { redis, breaker, insurance } = options;
  /** Keys that may still be banned in Redis, by their id. */
  const missed = new Map<string, KeyAndAccount>();

  /** Reads the ban state of a key, and how long it is needed. */
  async function read(key: KeyAndAccount): Promise<{ ban: Buffer; ttlMs: number }> {
    const name = nameOf(key);
    const [ban, ttlMs] = await Promise.all([
      key.accountId === undefined
        ? redis.getrangeBuffer(name, windowBytes, -1)
        : redis.getBuffer(name),
      redis.pttl(name),
    ]);
    // It may have ended between the two, or end within this millisecond.
    return ban === null || ttlMs <= 0 ? { ban: noBan, ttlMs: 0 } : { ban, ttlMs };
  }

  /** Replaces the ban state of a key. */
  async function write(key: KeyAndAccount, { ban, ttlMs }: { ban: Buffer; ttlMs: number }) {
    const name = nameOf(key);
    if (key.accountId === undefined) await redis.setBan(name, ban, ttlMs);
    else if (ban.length === 0) await redis.del(name);
    else await redis.set(name, ban, 'PX', ttlMs);
  }

  async function unbanInRedis(key: KeyAndAccount): Promise<void> {
    try {
      await breaker.run(() => write(key, { ban: noBan, ttlMs: 0 }));
    } catch {
      missed.set(key.id, key);
    }
  }

  return {
    unban(key) {
      insurance.unban(key.id);
      return unbanInRedis(key);
    },

    async moveBan(from, to) {
      await breaker.run(async () => write(to, await read(from))).catch(() => {});
    },

    async credit(key) {
      const subject = subjectOf(key);
      const name = `${namePrefix}:${subject}`;
      try {
        await breaker.run(async () => {
          const { ban, ttlMs } =
            key.accountId === undefined ? await read(key) : { ban: noBan, ttlMs: 0 };
          if (ban.length === 0) await redis.del(name);
          else await redis.set(name, Buffer.concat([Buffer.alloc(windowBytes), ban]), 'PX', ttlMs);
        });
      } catch (cause) {
        throw new QuotasAwayError('Redis does not answer.', { cause });
      }
      insurance.empty(subject);
    },

    /** Repeats the unbans that Redis has missed. Call it when Redis is back. */
    repeatMissedUnbans() {
      const again = [...missed.values()];
      missed.clear();
      for (const key of again) void unbanInRedis(key);
    },
  };
}

function nameOf(key: KeyAndAccount): string {
  return banNameOf(`${namePrefix}:${subjectOf(key)}`, key);
}
