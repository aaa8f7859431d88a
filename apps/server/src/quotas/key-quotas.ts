import type { Quota } from '@animal-store/contract';
import type { RateLimiterCompatibleAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { type LimitedKey, subjectOf } from './limited-key.ts';
import { QuotaDecision } from './quota-decision.ts';

/** A key under the subject that it has, or had. */
export type KeyPlace = Pick<LimitedKey, 'id' | 'accountId'>;

export type KeyQuotas = ReturnType<typeof createKeyQuotas>;

/** Creates what the rest of the service asks of the limiter of API keys. */
export function createKeyQuotas(options: {
  limiter: Pick<RateLimiterCompatibleAbstract, 'consume' | 'get'>;
  /** Ends a ban on every replica. */
  unban: (key: KeyPlace) => Promise<void>;
  /** Ends a ban that this replica remembers. */
  unbanHere: (keyId: string) => void;
  /** Takes what belongs to a key and not to its subject along to another subject. */
  moveBan: (from: KeyPlace, to: KeyPlace) => Promise<void>;
}) {
  const { limiter, unban, unbanHere, moveBan } = options;
  return {
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

    /** Ends the ban of a key, and deletes its strikes and earlier bans. The counts stay. */
    async unban(key: KeyPlace): Promise<void> {
      unbanHere(key.id);
      await unban(key);
    },

    /** The same after another replica has done it: ends what this one still remembers of the ban. */
    unbanHere,

    /**
     * Takes the ban, the strikes and the earlier bans of a key along when its subject changes. The counts
     * stay with the subject. If Redis is away, a ban stays behind.
     */
    moveBan,
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
