import type { Quota } from '@animal-store/contract';
import type { RateLimiterCompatibleAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { type KeyAndAccount, type LimitedKey, subjectOf } from './limited-key.ts';
import { QuotaDecision } from './quota-decision.ts';

/** The bans of keys, where quotas are kept. */
export interface KeyBans {
  /**
   * Ends the ban of a key, and deletes its strikes and earlier bans. The counts stay. While Redis is away it
   * ends on this replica, and in Redis when it is back.
   */
  unban(key: KeyAndAccount): Promise<void>;
  /**
   * Takes the ban, the strikes and the earlier bans of a key along when its subject changes. The counts
   * stay with the subject. If Redis is away, a ban stays behind.
   */
  moveBan(from: KeyAndAccount, to: KeyAndAccount): Promise<void>;
}

export type KeyQuotas = ReturnType<typeof createKeyQuotas>;

/** Creates what the rest of the service asks of the limiter of API keys. */
export function createKeyQuotas(
  limiter: Pick<RateLimiterCompatibleAbstract, 'consume' | 'get'>,
  bans: KeyBans,
) {
  return {
    ...bans,

    /** Decides one request of a key, and counts it against its subject. */
    take(key: LimitedKey): Promise<QuotaDecision> {
      // Not awaited: each further promise takes 1 % of the time of a request.
      return limiter.consume(subjectOf(key), 1, key).then(asDecision, asRefusal);
    },

    /** The state of a key and of its subject. Counts nothing. */
    async look(key: LimitedKey): Promise<QuotaDecision> {
      return asDecision(await limiter.get(subjectOf(key), key));
    },

    /** What the keys of an account have used of a quota. Counts nothing. */
    lookAtAccount(accountId: string, quota: Quota): Promise<QuotaDecision> {
      // No key has this id, so no strikes and no ban are found.
      return this.look({ id: accountId, accountId, quota });
    },
  };
}

/** The library's limiters reject with the result of a request that they do not admit. */
function asRefusal(reason: unknown): QuotaDecision {
  if (reason instanceof QuotaDecision) return reason;
  throw reason;
}

function asDecision(result: RateLimiterRes | null): QuotaDecision {
  if (result instanceof QuotaDecision) return result;
  throw new TypeError('The limiter of API keys gave no decision.');
}
