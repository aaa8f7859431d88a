import { rateLimitStatusPerMinute } from '@animal-store/contract';
import {
  type Allowance,
  createQuotas,
  type Quotas,
  type QuotasOptions,
  RedisRefusalError,
} from '@animal-store/quotas';
import { StartupError } from '@animal-store/runtime';
import { createNetworkAllowance, type NetworkAllowance } from './network-allowance.ts';
import { defaultQuotaSettings, type QuotaSettings } from './quota-settings.ts';

/**
 * The quota of a network for documentation pages, as a multiple of its quota for requests without
 * an API key. The quota for pages is larger, because all people in an office may share one address.
 */
const pageQuotaFactor = 10;

/** The limiters of one replica of the service. Replicas with the same Redis share their counts. */
export interface ServiceQuotas {
  /** The limiter of requests with a valid API key. */
  readonly keys: Quotas;
  /** The limiter of requests without a valid API key, by network. */
  readonly networks: NetworkAllowance;
  /**
   * The limiter of requests outside the versioned API by network, such as requests for the
   * documentation.
   */
  readonly pages: Pick<Allowance, 'take'>;
  readonly statusRequests: Pick<Allowance, 'take'>;
  close(): void;
}

/**
 * Opens the quotas of the service. They can be opened even if Redis is down.
 *
 * @throws {StartupError} if Redis is up but refuses the service, as {@link RedisRefusalError}
 *   describes.
 */
export async function openQuotas(
  options: Partial<QuotaSettings> & Omit<QuotasOptions, keyof QuotaSettings> = {},
): Promise<ServiceQuotas> {
  const { addressPerMinute, redis, ...settings } = { ...defaultQuotaSettings, ...options };
  const keys = await createQuotas({
    ...settings,
    redis: redis.length === 0 ? undefined : redis,
    prefix: 'animal-store',
  }).catch((error) => {
    throw error instanceof RedisRefusalError
      ? new StartupError(`REDIS_URL: ${error.message}`)
      : error;
  });
  const perMinute = (kind: string, limit: number) =>
    keys.createAllowance(kind, { perMinute: limit });
  return {
    keys,
    networks: createNetworkAllowance(perMinute('network', addressPerMinute)),
    pages: perMinute('pages', addressPerMinute * pageQuotaFactor),
    statusRequests: perMinute('rate-limit-status', rateLimitStatusPerMinute),
    close: keys.close,
  };
}
