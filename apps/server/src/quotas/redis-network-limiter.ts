import { type RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { batchDecisions } from './batch-decisions.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { countNetworkScript } from './lua-scripts.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';

/** A request of a network. */
interface NetworkRequest {
  readonly id: string;
  readonly points: number;
}

/** A network's count after a request. */
interface NetworkCount {
  readonly used: number;
  readonly msBeforeNext: number;
  readonly now: number;
}

/** What `count-network.lua` answers: the time, and each network's count. */
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

  _upsert(id: string, points: number): Promise<NetworkCount> {
    return this.#count({ id, points });
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, count: NetworkCount): RedisNetworkRes {
    return new RedisNetworkRes(count, this.points);
  }

  /** Counts requests in one script call, in their order. */
  async #countAll(requests: readonly NetworkRequest[]): Promise<NetworkCount[]> {
    const totals = new Map<string, number>();
    // What its network had used in this call after each request.
    const counted = requests.map(({ id, points }) => {
      const total = (totals.get(id) ?? 0) + points;
      totals.set(id, total);
      return total;
    });
    const windowMs = this.duration * 1_000;
    const ids = [...totals.keys()];
    const asked = ids.flatMap((id) => [totals.get(id) ?? 0, windowMs]);
    const args = [...ids, JSON.stringify(asked)];
    if (this.#now !== undefined) args.push(String(this.#now()));
    const reply = await this.#breaker.run(() => this.#countNetworks(ids.length, ...args));
    const [now, ...counts]: CountReply = JSON.parse(reply);
    const replies = new Map(counts.map((count, place) => [ids[place], count]));
    return requests.map(({ id }, place) => {
      const [used = 0, msBeforeNext = 0] = replies.get(id) ?? [];
      // Without the requests after this one.
      const later = (totals.get(id) ?? 0) - (counted[place] ?? 0);
      return { used: used - later, msBeforeNext, now };
    });
  }
}
