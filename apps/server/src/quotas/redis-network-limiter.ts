import { type RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { batchDecisions } from './batch-decisions.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { countNetworkScript } from './lua-scripts.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';

/** A request of a network. */
interface NetworkRequest {
  readonly id: string;
}

/** A network's count after a request. */
interface NetworkCount {
  readonly used: number;
  readonly msBeforeNext: number;
  readonly now: number;
}

/** What `count-network.lua` answers: the time, and the count after each request. */
type CountReply = [now: number, ...counts: [used: number, msBeforeNext: number][]];

/** The library's result, with the time by Redis's clock. */
export class RedisNetworkRes extends RateLimiterRes {
  readonly now: number;

  constructor({ used, msBeforeNext, now }: NetworkCount, points: number) {
    super(Math.max(0, points - used), msBeforeNext, used);
    this.now = now;
  }
}

/**
 * Limits networks in Redis. It is the library's limiter, but for three things: the circuit breaker;
 * requests that share a call; and the time of Redis in each result, because replicas whose clocks
 * differ must report the same reset.
 */
export class RedisNetworkLimiter extends RateLimiterRedis {
  readonly #countNetworks: RedisScript<string>;
  readonly #breaker: CircuitBreaker;
  readonly #now: (() => number) | undefined;
  readonly #count: (request: NetworkRequest) => Promise<NetworkCount>;

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
    this.#countNetworks = defineScript(redis, 'countNetworks', countNetworkScript);
    this.#breaker = breaker;
    this.#now = now;
    this.#count = batchDecisions(redis, (requests) => this.#countAll(requests));
  }

  /** Called by the library's `consume`, always with one point. */
  _upsert(id: string): Promise<NetworkCount> {
    return this.#count({ id });
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, count: NetworkCount): RedisNetworkRes {
    return new RedisNetworkRes(count, this.points);
  }

  /** Counts requests in one script call, in their order. */
  async #countAll(requests: readonly NetworkRequest[]): Promise<NetworkCount[]> {
    const args = [...requests.map(({ id }) => id), JSON.stringify([this.duration * 1_000])];
    if (this.#now !== undefined) args.push(String(this.#now()));
    const reply = await this.#breaker.run(() => this.#countNetworks(requests.length, ...args));
    const [now, ...counts]: CountReply = JSON.parse(reply);
    return counts.map(([used, msBeforeNext]) => ({ used, msBeforeNext, now }));
  }
}
