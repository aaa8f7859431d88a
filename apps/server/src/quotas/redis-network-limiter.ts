import { type RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { countNetworkScript } from './lua-scripts.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';

type Reply = [used: number, msBeforeNext: number, now: number];

/** The library's result, with the time by Redis's clock. */
export class RedisNetworkRes extends RateLimiterRes {
  readonly now: number;

  constructor([used, msBeforeNext, now]: Reply, points: number) {
    super(Math.max(0, points - used), msBeforeNext, used);
    this.now = now;
  }
}

/**
 * Limits networks in Redis. It is the library's limiter, but for two things: the circuit breaker, and
 * the time of Redis in each result, because replicas whose clocks differ must report the same reset.
 */
export class RedisNetworkLimiter extends RateLimiterRedis {
  readonly #countNetwork: RedisScript<Reply>;
  readonly #breaker: CircuitBreaker;
  readonly #now: (() => number) | undefined;

  constructor(options: {
    redis: RedisConnection;
    breaker: CircuitBreaker;
    insurance: RateLimiterMemory;
    perMinute: number;
    /** Of the keys in Redis; for other callers than networks. */
    keyPrefix?: string | undefined;
    now?: () => number;
  }) {
    const { redis, breaker, insurance, perMinute, now } = options;
    super({
      storeClient: redis,
      keyPrefix: options.keyPrefix ?? 'animal-store:network',
      points: perMinute,
      duration: insurance.duration,
      insuranceLimiter: insurance,
    });
    this.#countNetwork = defineScript(redis, 'countNetwork', countNetworkScript);
    this.#breaker = breaker;
    this.#now = now;
  }

  _upsert(key: string, points: number, msDuration: number): Promise<Reply> {
    const now = this.#now?.();
    const args = now === undefined ? [points, msDuration] : [points, msDuration, now];
    return this.#breaker.run(() => this.#countNetwork(1, key, ...args));
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, reply: Reply): RedisNetworkRes {
    return new RedisNetworkRes(reply, this.points);
  }
}
