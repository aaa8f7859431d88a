import { RateLimiterCompatibleAbstract, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Consumer } from './consumer.ts';
import type { Quota } from './quota.ts';
import type { QuotaDecision } from './quota-decision.ts';

/** The two methods of the quotas that a limiter needs. */
interface LimiterQuotas {
  consume(consumer: Consumer): Promise<QuotaDecision>;
  look(consumer: Consumer): Promise<QuotaDecision>;
}

/**
 * A limiter of rate-limiter-flexible for one quota, for code that expects such a limiter. `consume`
 * resolves if the request is admitted, and otherwise rejects with the decision, a `RateLimiterRes`.
 * The wrappers of the library accept it.
 *
 * A request costs 1 point, whatever number is passed, because both windows count requests.
 */
export class QuotaLimiter extends RateLimiterCompatibleAbstract {
  // The library reads and writes these three properties of a limiter that it wraps.
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

  /** Counts one request of a consumer. */
  override async consume(id: string | number): Promise<QuotaDecision> {
    const decision = await this.#quotas.consume({ id: String(id), quota: this.#quota });
    if (decision.outcome !== 'admitted') throw decision;
    return decision;
  }

  /** Reads the state of a consumer. Counts nothing. */
  override async get(id: string | number): Promise<RateLimiterRes> {
    return this.#quotas.look({ id: String(id), quota: this.#quota });
  }
}
