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

/** At most about 3 MB. Beyond it the least recently used are dropped, and shown as unused. */
const maxKnown = 10_000;

/** How an allowance stood when this replica last heard of it. */
interface Known {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in milliseconds, by the clock of this replica. */
  readonly endsAtMs: number;
}

/** Where replicas count together. */
export interface SharedStore {
  readonly redis: RedisConnection;
  readonly names: RedisNames;
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  /** How many replicas share each limit while Redis is away. Asked for each decision. */
  readonly replicas: () => number;
}

export type Allowance = ReturnType<typeof createAllowance>;

/**
 * Counts what has one limit per minute and no bans, by the limiters of rate-limiter-flexible: requests without a key,
 * by the network they come from, for example.
 *
 * @param shared where replicas count together. Without it, requests are counted in the memory of this replica.
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
    // Memory counts at once. Whatever else this process does until it goes on must not move the end.
    const now = clock.now();
    return { ...(await consume(inMemory, id)), limit: inMemory.points, now };
  }

  function createSharedCount({ redis, names, breaker, replicas }: SharedStore) {
    const inRedis = new RateLimiterRedis({
      ...limits,
      storeClient: redis,
      keyPrefix: names.allowanceOf(kind),
      // What is used up costs Redis nothing until the window ends.
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
     * How an allowance stands, as far as this replica knows. Counts nothing and asks nobody, so that it
     * can be told on every response, and an attacker can cause no work with it.
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

/** Counts one request. A window that ends further ahead than its length is from before a clock was set back: it is over. */
async function consume(limiter: RateLimiterAbstract, id: string) {
  const counted = await consumeOnce(limiter, id);
  if (counted.result.msBeforeNext <= limiter.msDuration) return counted;
  await limiter.delete(id);
  return consumeOnce(limiter, id);
}

/** The library's limiters reject with the result of a request that they do not admit. */
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
