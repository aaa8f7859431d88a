import { type RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { batchDecisions } from './batch-decisions.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { countNetworkScript } from './lua-scripts.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';

type Reply = [now: number, ...counts: [used: number, msBeforeNext: number][]];

/** A request of a network. */
interface NetworkRequest {
  readonly key: string;
  readonly points: number;
}

/** A network's count after a request. */
interface NetworkCount {
  readonly used: number;
  readonly msBeforeNext: number;
  readonly now: number;
}

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
  readonly #countNetworks: RedisScript<Reply>;
  readonly #count: (request: NetworkRequest) => Promise<NetworkCount>;
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
    this.#countNetworks = defineScript(redis, 'countNetworks', countNetworkScript);
    this.#count = batchDecisions(redis, (requests) => this.#countAll(requests));
    this.#breaker = breaker;
    this.#now = now;
  }

  _upsert(key: string, points: number): Promise<NetworkCount> {
    return this.#count({ key, points });
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, count: NetworkCount): RedisNetworkRes {
    return new RedisNetworkRes(count, this.points);
  }

  /** Counts requests in one script call, in their order. */
  async #countAll(requests: readonly NetworkRequest[]): Promise<NetworkCount[]> {
    const totals = new Map<string, number>();
    // What its network had used in this call after each request.
    const counted = requests.map(({ key, points }) => {
      const total = (totals.get(key) ?? 0) + points;
      totals.set(key, total);
      return total;
    });
    const args: (string | number)[] = [...totals.keys(), this.duration * 1_000, ...totals.values()];
    if (this.#now !== undefined) args.push(this.#now());
    const [now, ...counts] = await this.#breaker.run(() =>
      this.#countNetworks(totals.size, ...args),
    );
    const keys = [...totals.keys()];
    const replies = new Map(counts.map((count, place) => [keys[place], count]));
    return requests.map(({ key }, place) => {
      const [used = 0, msBeforeNext = 0] = replies.get(key) ?? [];
      // Without the requests after this one.
      const later = (totals.get(key) ?? 0) - (counted[place] ?? 0);
      return { used: used - later, msBeforeNext, now };
    });
  }
}
