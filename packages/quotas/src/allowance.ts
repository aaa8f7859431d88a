import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { checkLimit } from './consumer.ts';
import type { RedisConnection } from './open-redis.ts';
import { windowSeconds } from './quota.ts';
import { QuotaDecision } from './quota-decision.ts';
import type { RedisNames } from './redis-format.ts';

/**
 * The largest number of callers in memory, which take about 3 MB. The least recently used are
 * evicted, and then count as unused.
 */
const maxKnown = 10_000;

/** The state of an allowance, as this replica last saw it. */
interface Known {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in milliseconds, by the clock of this replica. */
  readonly endsAtMs: number;
}

/** The connection through which replicas count together. */
export interface SharedStore {
  readonly redis: RedisConnection;
  readonly names: RedisNames;
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  /** How many replicas share each limit while Redis is down. Called for each decision. */
  readonly replicas: () => number;
}

export type Allowance = ReturnType<typeof createAllowance>;

/**
 * Counts limits per minute without bans, by the limiters of rate-limiter-flexible. One use is
 * requests without a key, counted by network.
 *
 * @param shared the connection through which replicas count together. Without it, requests are
 *   counted in the memory of this replica.
 */
export function createAllowance(
  kind: string,
  { clock, perMinute }: { clock: Pick<Clock, 'now'>; perMinute: number },
  shared?: SharedStore,
) {
  checkLimit('perMinute', perMinute);
  const limits = { points: perMinute, duration: windowSeconds.minute };
  const inMemory = new RateLimiterMemory(limits);
  const latest = new LRUCache<string, Known>({ max: maxKnown });
  const count = shared === undefined ? countHere : createSharedCount(shared);

  async function countHere(id: string) {
    // The time is read before the call, because memory counts at once: other work of this process
    // must not delay the reset.
    const now = clock.now();
    return { ...(await consume(inMemory, id)), limit: inMemory.points, now };
  }

  function createSharedCount({ redis, names, breaker, replicas }: SharedStore) {
    const inRedis = new RateLimiterRedis({
      ...limits,
      storeClient: redis,
      keyPrefix: names.allowanceOf(kind),
      // A used-up allowance is denied from memory until its window ends, so that it costs Redis
      // nothing.
      inMemoryBlockOnConsumed: perMinute,
    });
    return async (id: string) => {
      try {
        const counted = await breaker.run(() => consume(inRedis, id));
        return { ...counted, limit: perMinute, now: clock.now() };
      } catch {
        inMemory.points = Math.ceil(perMinute / replicas());
        return countHere(id);
      }
    };
  }

  return {
    /** Decides one request, and counts it. */
    async take(id: string): Promise<QuotaDecision> {
      const { isAdmitted, result, limit, now } = await count(id);
      const endsAtMs = now + result.msBeforeNext;
      const known = { limit, remaining: result.remainingPoints, endsAtMs };
      latest.set(id, known);
      return toDecision(known, now, isAdmitted);
    },

    /**
     * Returns the state of an allowance, as far as this replica knows it. It counts nothing and
     * queries nothing. So every response can report the state, and an attacker cannot cause work by
     * asking for it.
     */
    peek(id: string): QuotaDecision {
      const now = clock.now();
      const known = latest.get(id);
      const isOver =
        known === undefined || now >= known.endsAtMs || known.endsAtMs > now + inMemory.msDuration;
      const current = isOver ? { limit: perMinute, remaining: perMinute, endsAtMs: 0 } : known;
      return toDecision(current, now, current.remaining > 0);
    },
  };
}

/**
 * Counts one request. If a window ends later than its full length from now, the clock was set back:
 * the window then counts as expired.
 */
async function consume(limiter: RateLimiterAbstract, id: string) {
  const counted = await consumeOnce(limiter, id);
  if (counted.result.msBeforeNext <= limiter.msDuration) return counted;
  await limiter.delete(id);
  return consumeOnce(limiter, id);
}

/**
 * Converts a rejection to a result: the library's limiters reject with the result of a denied
 * request.
 */
async function consumeOnce(limiter: RateLimiterAbstract, id: string) {
  try {
    return { isAdmitted: true, result: await limiter.consume(id) };
  } catch (reason) {
    if (reason instanceof RateLimiterRes) return { isAdmitted: false, result: reason };
    throw reason;
  }
}

function toDecision({ limit, remaining, endsAtMs }: Known, now: number, isAdmitted: boolean) {
  const outcome = isAdmitted ? 'admitted' : 'denied';
  const counts = { minute: { used: limit - remaining, endsAtMs } };
  return new QuotaDecision(
    { now, outcome, counts, strikes: 0, strikesEndAtMs: 0, bannedUntilMs: 0 },
    { perMinute: limit, perDay: undefined, strikeThreshold: undefined, scope: 'service' },
  );
}
