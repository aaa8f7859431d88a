import { type BanPolicy, defaultBanPolicy } from '@animal-store/contract';
import type { QuotasOptions } from '@animal-store/quotas';

/** How requests are limited, and how Redis is reached. */
export interface QuotaSettings
  extends Pick<
    QuotasOptions,
    'connectTimeoutMs' | 'firstConnectionTimeoutMs' | 'probeEveryMs' | 'timeoutMs'
  > {
  /** Where Redis is: none for quotas in memory, one URL for a Redis or its Sentinels, several for a Cluster. */
  readonly redis: readonly string[];
  /** Requests per minute from one network without a valid key. */
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
}

export const defaultQuotaSettings: QuotaSettings = {
  redis: [],
  addressPerMinute: 60,
  banPolicy: defaultBanPolicy,
};
