import { RateLimiterCompatibleAbstract, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Consumer } from './consumer.ts';
import type { Quota } from './quota.ts';
import type { QuotaDecision } from './quota-decision.ts';

/** The two methods of the quotas that the limiter calls. */
interface LimiterQuotas {
  consume(consumer: Consumer): Promise<QuotaDecision>;
  look(consumer: Consumer): Promise<QuotaDecision>;
}

/**
 * A limiter for one quota, with the interface of rate-limiter-flexible. Use it in code that expects
 * a limiter of this library, such as the library's wrappers. `consume` resolves if the request is
 * admitted. Otherwise it rejects with the decision, which is a `RateLimiterRes`.
 *
 * Each request costs 1 point, whatever number of points is passed, because both windows count
 * requests.
 */
export class QuotaLimiter extends RateLimiterCompatibleAbstract {
  // The wrappers of rate-limiter-flexible read and write `keyPrefix`, `blockDuration` and
  // `execEvenly`, so a limiter must have these properties.
  override keyPrefix = '';
  override blockDuration = 0;
  override execEvenly = false;

  readonly #quotas: LimiterQuotas;
  readonly #quota: Quota;

  constructor(quotas: LimiterQuotas, quota: Quota) {
    super();
    this.#quotas = quotas;
    this.#quota = quota;
  }

  /**
   * Counts one request of a consumer (a caller with a quota). Rejects with the decision if the
   * request is refused.
   */
  override async consume(id: string | number): Promise<QuotaDecision> {
    const decision = await this.#quotas.consume({ id: String(id), quota: this.#quota });
    if (decision.outcome !== 'admitted') throw decision;
    return decision;
  }

  /** Returns the state of a consumer (a caller with a quota) without counting a request. */
  override async get(id: string | number): Promise<RateLimiterRes> {
    return this.#quotas.look({ id: String(id), quota: this.#quota });
  }
}
