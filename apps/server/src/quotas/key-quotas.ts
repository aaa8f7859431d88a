import type { Quota } from '@animal-store/contract';
import type { MemoryStore } from './memory-store.ts';
import type { QuotaDecision } from './quota-decision.ts';
import type { RedisStore } from './redis-store.ts';

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

export type KeyQuotas = ReturnType<typeof createKeyQuotas>;

/**
 * Creates the quotas of keys from what keeps their state.
 *
 * @param memory decides alone if there is no Redis, and decides with this replica's share while Redis is down.
 */
export function createKeyQuotas({ redis, memory }: { redis?: RedisStore; memory: MemoryStore }) {
  /** Changes the state in Redis, and then in memory, where requests may have been decided meanwhile. */
  async function change(inRedis: Promise<unknown> | undefined, inMemory: () => void) {
    try {
      await inRedis;
    } catch (cause) {
      throw new QuotasAwayError('Redis does not answer.', { cause });
    }
    inMemory();
  }

  const decideHere = async (key: LimitedKey) => memory.decide(key);
  const lookHere = async (key: LimitedKey) => memory.look(key);

  const keyQuotas = {
    /** Decides one request of a key, and counts it against its subject. */
    take: (key: LimitedKey): Promise<QuotaDecision> =>
      redis === undefined ? decideHere(key) : redis.decide(key).catch(() => memory.decide(key)),

    /** Reads the state of a key and of its subject. Counts nothing. */
    look: (key: LimitedKey): Promise<QuotaDecision> =>
      redis === undefined ? lookHere(key) : redis.look(key).catch(() => memory.look(key)),

    /** Reads what the keys of an account have used of a quota. Counts nothing. */
    lookAtAccount: (accountId: string, quota: Quota): Promise<QuotaDecision> =>
      // No key has this id, so no strikes and no ban are found.
      keyQuotas.look({ id: accountId, accountId, quota }),

    unban: (key) => change(redis?.unban(key), () => memory.unban(key)),
    credit: (key) => change(redis?.credit(key), () => memory.credit(key)),
    // In memory, bans are kept by key, whatever the subject of the key is.
    moveBan: async (from, to) => {
      await redis?.moveBan(from, to).catch(() => {});
    },
  } satisfies KeyState & Record<string, unknown>;
  return keyQuotas;
}

/** Names the subject of a key. In Redis, `namePrefix` is in front of it. */
export function subjectOf({ id, accountId }: KeyAndAccount): string {
  return accountId === undefined ? `key:{${id}}` : `account:{${accountId}}`;
}
