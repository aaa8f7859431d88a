import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { checkId, checkLimit } from './consumer.ts';
import type { RedisConnection } from './open-redis.ts';
import { windowSeconds } from './quota.ts';
import { QuotaDecision } from './quota-decision.ts';
import type { RedisNames } from './redis-format.ts';

/**
 * The maximum number of callers in memory. So many callers take about 3 MB. When there are more,
 * the least recently used caller is evicted, and its count begins again at 0.
 */
const maxKnown = 10_000;

/**
 * The state of a caller's allowance (its limit per minute), as this replica of the service last saw
 * it.
 */
interface Known {
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window, as Unix time in milliseconds by the clock of this replica. */
  readonly endsAtMs: number;
}

/** The connection to Redis, in which all replicas of the service count together. */
export interface SharedStore {
  readonly redis: RedisConnection;
  readonly names: RedisNames;
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  /**
   * Returns how many replicas of the service share each limit while Redis is down. Called for each
   * request.
   */
  readonly replicas: () => number;
}

export type Allowance = ReturnType<typeof createAllowance>;

/**
 * Creates an allowance: a limit per minute without bans, for callers that have no quota. For
 * example, requests without a valid key are counted by their network. The library
 * rate-limiter-flexible counts the requests.
 *
 * @param shared the connection to Redis, in which all replicas count together. Without it, this
 *   replica counts alone in its memory.
 * @throws {TypeError} if the name is empty, or if the limit is not an integer from 1 to
 *   2,147,483,647.
 */
export function createAllowance(
  kind: string,
  { clock, perMinute }: { clock: Pick<Clock, 'now'>; perMinute: number },
  shared?: SharedStore,
) {
  checkId('name', kind);
  checkLimit('perMinute', perMinute);
  const limits = { points: perMinute, duration: windowSeconds.minute };
  const inMemory = new RateLimiterMemory(limits);
  const latest = new LRUCache<string, Known>({ max: maxKnown });
  const count = shared === undefined ? countHere : createSharedCount(shared);

  async function countHere(id: string) {
    // The time is read before the call, because the limiter in memory counts immediately. If the
    // process is busy afterwards, a later time would report a reset that is too late.
    const now = clock.now();
    return { ...(await consume(inMemory, id)), limit: inMemory.points, now };
  }

  function createSharedCount({ redis, names, breaker, replicas }: SharedStore) {
    const inRedis = new RateLimiterRedis({
      ...limits,
      storeClient: redis,
      keyPrefix: names.allowanceOf(kind),
      // When a caller has used up its allowance, the limiter denies further requests from its own
      // memory until the window ends. So an attacker's requests cause no work in Redis.
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
    /**
     * Counts one request, and decides whether it is admitted.
     *
     * @throws {TypeError} (as a rejection) if the id is not a non-empty string.
     */
    async take(id: string): Promise<QuotaDecision> {
      checkId('id', id);
      const { isAdmitted, result, limit, now } = await count(id);
      const endsAtMs = now + result.msBeforeNext;
      const known = { limit, remaining: result.remainingPoints, endsAtMs };
      latest.set(id, known);
      return toDecision(known, now, isAdmitted);
    },

    /**
     * Returns the state of a caller's allowance that this replica last saw. The function counts
     * nothing and sends no query to Redis. An attacker can cause many responses that contain this
     * state, and none of them causes work in Redis.
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
 * Counts one request. If the window ends later than one window length from now, a clock was set
 * back after the window began. If it was the clock of this replica, only the limiter's own memory is
 * wrong, and the count in Redis decides. Otherwise, the function deletes the stored count, and a new
 * window begins. A full window would stay full until the clock reaches the stored end.
 */
async function consume(limiter: RateLimiterAbstract, id: string) {
  let counted = await consumeOnce(limiter, id);
  const endsTooLate = () => counted.result.msBeforeNext > limiter.msDuration;
  if (endsTooLate() && limiter instanceof RateLimiterRedis) {
    limiter.deleteInMemoryBlockedAll();
    counted = await consumeOnce(limiter, id);
  }
  if (!endsTooLate()) return counted;
  await limiter.delete(id);
  return consumeOnce(limiter, id);
}

/**
 * Counts one request. The limiters of rate-limiter-flexible reject the promise if the request is
 * denied, with the result as the reason. This function returns that result instead.
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
