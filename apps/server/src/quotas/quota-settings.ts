import { type BanPolicy, defaultBanPolicy } from '@animal-store/contract';
import type { QuotasOptions } from '@animal-store/quotas';

/** Settings of rate limits and of the connection to Redis. */
export interface QuotaSettings
  extends Pick<
    QuotasOptions,
    'connectTimeoutMs' | 'firstConnectionTimeoutMs' | 'probeEveryMs' | 'timeoutMs'
  > {
  /**
   * The URLs of Redis. There is no URL for quotas in memory, one for a single Redis or its
   * Sentinels, and several for a Cluster.
   */
  readonly redis: readonly string[];
  /** The number of requests per minute that one network may send without a valid API key. */
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
}

export const defaultQuotaSettings: QuotaSettings = {
  redis: [],
  addressPerMinute: 60,
  banPolicy: defaultBanPolicy,
};
