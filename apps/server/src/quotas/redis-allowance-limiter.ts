import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type {} from './rate-limiter-store.ts';

/** The library's limiter, whose commands go through the circuit breaker: see `circuit-breaker.ts`. */
export class RedisAllowanceLimiter extends RateLimiterRedis {
  readonly #breaker: Pick<CircuitBreaker, 'run'>;

  constructor(
    breaker: Pick<CircuitBreaker, 'run'>,
    options: ConstructorParameters<typeof RateLimiterRedis>[0],
  ) {
    super(options);
    this.#breaker = breaker;
  }

  override _upsert(...call: Parameters<RateLimiterRedis['_upsert']>): Promise<unknown> {
    return this.#breaker.run(() => super._upsert(...call));
  }

  override _get(...call: Parameters<RateLimiterRedis['_get']>): Promise<unknown> {
    return this.#breaker.run(() => super._get(...call));
  }

  override _delete(...call: Parameters<RateLimiterRedis['_delete']>): Promise<boolean> {
    return this.#breaker.run(() => super._delete(...call));
  }
}
