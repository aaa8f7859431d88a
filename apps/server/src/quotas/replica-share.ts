import type { QuotaKey, Quotas } from './quotas.ts';

/**
 * Decides by one replica's share of each quota, rounded up, so that replicas that cannot talk to
 * each other admit about as many as they would together.
 *
 * The caller is told the share, because that is what holds for it now.
 */
export function createReplicaShare(quotas: Quotas, replicas: number): Quotas {
  const withShare = ({ id, quota }: QuotaKey): QuotaKey => ({
    id,
    quota: {
      perMinute: shareOf(quota.perMinute, replicas),
      perDay: shareOf(quota.perDay, replicas),
    },
  });
  return {
    ...quotas,
    takeForKey: (key) => quotas.takeForKey(withShare(key)),
    // Counts that begin at zero and a limit that is not the key's: an operator has to be told.
    usageOf: async (key) => ({ ...(await quotas.usageOf(withShare(key))), scope: 'replica' }),
  };
}

/** One replica's share of a limit. */
export function shareOf(limit: number, replicas: number): number {
  return Math.ceil(limit / replicas);
}
