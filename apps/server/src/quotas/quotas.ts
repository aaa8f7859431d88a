import type { Quota } from '@animal-store/contract';
import type { RateLimiterCompatibleAbstract } from 'rate-limiter-flexible';
import type { NetworkQuota } from './network-quota.ts';
import { QuotaResult } from './quota-result.ts';

/**
 * Counts requests and decides which to admit. One instance serves one replica; instances on the
 * same Redis decide as one.
 *
 * A request of a key is admitted only if the minute and the day both have room; then it costs one
 * in both. A denied request costs nothing in either. Windows are fixed: the first request opens one,
 * and its end does not move until it is reached.
 */
export interface Quotas {
  /** Decides one request of an API key, and counts it if it is admitted. */
  takeForKey(key: QuotaKey): Promise<QuotaResult>;
  /** Decides one request without a valid key, by the network it comes from. */
  takeForNetwork(network: string): Promise<QuotaResult>;
  /** How a network stands, as far as this replica knows. Counts nothing and asks nobody. */
  peekNetwork(network: string): QuotaResult;
  /** The 429 for a request whose token must not be looked up in the database; usually `undefined`. */
  refuseLookUp(network: string): QuotaResult | undefined;
  /** How a key stands. Counts nothing. */
  usageOf(key: QuotaKey): Promise<KeyUsage>;
  /** Decides one request for the status of a key, which has an allowance of its own. */
  takeForStatus(keyId: string): Promise<QuotaResult>;
  /** Ends a key's ban, on this replica at once, and forgets its strikes and earlier bans. */
  unban(id: string): Promise<void>;
  /** Forgets a ban that another replica has ended. */
  forgetBan(id: string): void;
  close(): Promise<void>;
}

/** Called for each ban when it begins, by the replica whose request began it and by no other. */
export type OnBan = (ban: { keyId: string; seconds: number }) => void;

/** How a key stands. */
type KeyUsage = Pick<
  QuotaResult,
  'scope' | 'windows' | 'strikes' | 'strikeThreshold' | 'bannedUntil'
>;

/** What a key's requests are counted under, and how many it may make. */
interface QuotaKey {
  readonly id: string;
  readonly quota: Quota;
}

/** A limiter of rate-limiter-flexible whose results are {@link QuotaResult}s. */
interface KeyLimiter
  extends Pick<RateLimiterCompatibleAbstract, 'consume' | 'get'>,
    Pick<Quotas, 'unban' | 'forgetBan'> {}

/** Puts the limiters of keys and networks together. */
export function createQuotas(options: {
  keys: KeyLimiter;
  networks: NetworkQuota;
  statusRequests: Pick<NetworkQuota, 'take'>;
  close: () => void;
}): Quotas {
  const { keys, networks, statusRequests, close } = options;
  return {
    async takeForKey({ id, quota }) {
      try {
        return quotaResult(await keys.consume(id, 1, { quota }));
      } catch (reason) {
        // The library rejects with the result of a request that is not admitted.
        return quotaResult(reason);
      }
    },
    takeForNetwork: networks.take,
    peekNetwork: networks.peek,
    refuseLookUp: networks.refuseLookUp,
    usageOf: async ({ id, quota }) => quotaResult(await keys.get(id, { quota })),
    takeForStatus: statusRequests.take,
    unban: (id) => keys.unban(id),
    forgetBan: (id) => keys.forgetBan(id),
    close: async () => close(),
  };
}

function quotaResult(settled: unknown): QuotaResult {
  if (settled instanceof QuotaResult) return settled;
  throw settled;
}
