import type { Quota } from '@animal-store/contract';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { QuotaDecision } from './quota-decision.ts';

/** A key under the subject that it has, or had: what its requests are counted against, the key or its account. */
export interface KeyAndAccount {
  readonly id: string;
  /** The account whose quota it shares. Without one, it has windows of its own. */
  readonly accountId?: string | undefined;
}

/** An API key, as its limiter sees it. Bans belong to the key, counts to its subject. */
export interface LimitedKey extends KeyAndAccount {
  /** The quota of its subject. */
  readonly quota: Quota;
}

/** Called when a ban begins, only on the replica whose request began it. */
export type OnBan = (ban: {
  keyId: string;
  seconds: number;
  /** Unix time in milliseconds, by the clock that decided. */
  startedAtMs: number;
  scope: QuotaDecision['scope'];
}) => void;

/** Changes the state of a key, where quotas are kept. */
export interface KeyState {
  /**
   * Ends the ban of a key, and deletes its strikes and earlier bans. The counts stay. If the key has an account, it
   * ends the ban both with and without the account: a plan of the account may come or go at the same moment.
   *
   * @throws {QuotasAwayError} if Redis is away.
   */
  unban(key: KeyAndAccount): Promise<void>;
  /**
   * Moves the ban, the strikes and the earlier bans of a key when its subject changes. The counts stay with the
   * subject. If Redis is away, a ban stays behind.
   */
  moveBan(from: KeyAndAccount, to: KeyAndAccount): Promise<void>;
  /**
   * Empties both windows of the subject of a key; its ban and strikes stay.
   *
   * @throws {QuotasAwayError} if Redis is away.
   */
  credit(key: KeyAndAccount): Promise<void>;
}

/** Nothing was changed, because Redis does not answer. */
export class QuotasAwayError extends Error {
  override readonly name = 'QuotasAwayError';
}

/** A limiter in the form of rate-limiter-flexible, which rejects with the decision if it does not admit. */
interface KeyLimiter {
  consume(subject: string, points: 1, key: LimitedKey): Promise<RateLimiterRes>;
  get(subject: string, key: LimitedKey): Promise<RateLimiterRes | null>;
}

export type KeyQuotas = ReturnType<typeof createKeyQuotas>;

/** Creates what the rest of the service asks of the limiter of API keys. */
export function createKeyQuotas(limiter: KeyLimiter, state: KeyState) {
  return {
    ...state,

    /** Decides one request of a key, and counts it against its subject. */
    take(key: LimitedKey): Promise<QuotaDecision> {
      // Not awaited: each further promise takes 1 % of the time of a request.
      return limiter.consume(subjectOf(key), 1, key).then(asDecision, asDecision);
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

/** Names the subject of a key. In Redis, `namePrefix` is in front of it. */
export function subjectOf({ id, accountId }: KeyAndAccount): string {
  return accountId === undefined ? `key:{${id}}` : `account:{${accountId}}`;
}

/** Whatever else a limiter rejects with is a failure. */
function asDecision(result: unknown): QuotaDecision {
  if (result instanceof QuotaDecision) return result;
  throw result;
}
