import type { Quota } from '@animal-store/contract';
import type { RateLimiterCompatibleAbstract } from 'rate-limiter-flexible';
import type { NetworkQuota } from './network-quota.ts';
import { QuotaResult } from './quota-result.ts';

export type Quotas = ReturnType<typeof createQuotas>;

/** Called when a ban begins, only on the replica whose request began it. */
export type OnBan = (ban: {
  keyId: string;
  seconds: number;
  /** Unix time in milliseconds, by the clock that decided. */
  startedAtMs: number;
}) => void;

/** What a key's requests are counted under, and how many it may make. */
interface QuotaKey {
  readonly id: string;
  readonly quota: Quota;
}

/** A limiter of rate-limiter-flexible whose results are {@link QuotaResult}s. */
interface KeyLimiter extends Pick<RateLimiterCompatibleAbstract, 'consume' | 'get'> {
  unban(id: string): Promise<void>;
  forgetBan(id: string): void;
}

/**
 * Counts requests and decides which to admit. One instance serves one replica; instances on the
 * same Redis decide as one.
 *
 * A request of a key is admitted only if the minute and the day both have room; then it costs one
 * in both. A denied request costs nothing in either. Windows are fixed: the first request opens one,
 * and its end does not move until it is reached.
 */
export function createQuotas(options: {
  keys: KeyLimiter;
  networks: NetworkQuota;
  statusRequests: Pick<NetworkQuota, 'take'>;
  close: () => void;
}) {
  const { keys, networks, statusRequests, close } = options;
  return {
    /** Decides one request of an API key, and counts it if it is admitted. */
    async takeForKey({ id, quota }: QuotaKey): Promise<QuotaResult> {
      try {
        return quotaResult(await keys.consume(id, 1, { quota }));
      } catch (reason) {
        // The library rejects with the result of a request that is not admitted.
        return quotaResult(reason);
      }
    },
    /** The state of a key. Counts nothing. */
    async usageOf({ id, quota }: QuotaKey): Promise<QuotaResult> {
      return quotaResult(await keys.get(id, { quota }));
    },
    /** Ends a key's ban, on this replica at once, and forgets its strikes and earlier bans. */
    unban: (id: string) => keys.unban(id),
    /** Forgets a ban that another replica has ended. */
    forgetBan: (id: string) => keys.forgetBan(id),
    takeForNetwork: networks.take,
    peekNetwork: networks.peek,
    refuseLookUp: networks.refuseLookUp,
    /** Decides one request for the status of a key, which has an allowance of its own. */
    takeForStatus: statusRequests.take,
    close: async () => close(),
  };
}

function quotaResult(settled: unknown): QuotaResult {
  if (settled instanceof QuotaResult) return settled;
  throw settled;
}
