import { DatabaseUnavailableError } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.ts';
import { hashToken, tokenLength } from './token.ts';

/**
 * The largest number of cached keys, which take about 10 MB. The least recently used entries are
 * evicted.
 */
const maxTokens = 20_000;

/**
 * The largest number of cached unknown tokens. They have a cache of their own, so that an attacker
 * who guesses tokens cannot evict valid keys.
 */
const maxUnknownTokens = 2_000;

/** The lifetimes of cache entries. */
const defaultKeyCacheSettings = {
  /** How long a cached key is used without a query, unless a change is announced. */
  freshMs: 30_000,
  /** How long an unknown token is cached. The time is short because a new key must work soon. */
  unknownFreshMs: 2_000,
  /** How long a cached key stays valid while the database is down. */
  staleMs: 300_000,
  /** How long the cache waits before it queries an unavailable database again for the same key. */
  retryMs: 1_000,
};

export type KeyCacheSettings = Readonly<typeof defaultKeyCacheSettings>;

export type KeyCache = ReturnType<typeof createKeyCache>;

/**
 * A key that the database has confirmed. The entry stays in the cache after an announced change,
 * but must be confirmed again before it is used.
 */
interface Entry {
  readonly key: ApiKey;
  /**
   * When the database last confirmed the key; `never` if the key may have changed since. The time
   * is monotonic: an entry must not live longer because the wall clock was set back.
   */
  confirmedAt: number;
  /** Until when the key is used without a query. */
  freshUntil: number;
}

const never = Number.NEGATIVE_INFINITY;

/**
 * Creates the cache from tokens to keys, so that most requests need no SQL.
 *
 * The cache stores hashes of tokens, so that a heap dump contains no token.
 *
 * @param options.load finds the key of a token in the database, by the token's hash.
 */
export function createKeyCache(
  options: Partial<KeyCacheSettings> & {
    load: (hash: string) => Promise<ApiKey | undefined>;
    clock: Pick<Clock, 'now' | 'elapsed'>;
  },
) {
  const { load, clock } = options;
  const { freshMs, unknownFreshMs, staleMs, retryMs } = { ...defaultKeyCacheSettings, ...options };
  const entries = new LRUCache<string, Entry>({ max: maxTokens });
  /** For each unknown token's hash, the time until which the cache treats it as unknown. */
  const unknown = new LRUCache<string, number>({ max: maxUnknownTokens });
  const loading = new Map<string, Promise<ApiKey | undefined>>();
  let generation = 0;

  const isUnexpired = ({ expiresAt }: ApiKey) =>
    expiresAt === undefined || clock.now() < expiresAt.getTime();

  function remember(hash: string, key: ApiKey | undefined): void {
    const confirmedAt = clock.elapsed();
    if (key === undefined) {
      entries.delete(hash);
      unknown.set(hash, confirmedAt + unknownFreshMs);
    } else {
      unknown.delete(hash);
      entries.set(hash, { key, confirmedAt, freshUntil: confirmedAt + freshMs });
    }
  }

  /** Queries the database. Concurrent lookups of the same token share one query. */
  function reload(hash: string): Promise<ApiKey | undefined> {
    const pending = loading.get(hash);
    if (pending !== undefined) return pending;
    const startedIn = generation;
    const loaded = load(hash)
      .then((key) => {
        // A change that was announced during the query may concern this key, so the result is not
        // cached.
        if (generation === startedIn) remember(hash, key);
        return key;
      })
      .finally(() => {
        if (loading.get(hash) === loaded) loading.delete(hash);
      });
    loading.set(hash, loaded);
    return loaded;
  }

  function forgetIf(hasChanged: (key: ApiKey) => boolean): void {
    generation += 1;
    loading.clear();
    for (const entry of entries.values()) {
      if (!hasChanged(entry.key)) continue;
      entry.confirmedAt = never;
      entry.freshUntil = never;
    }
  }

  /** Returns the cached key if it is fresh and needs no query. */
  function freshKey(hash: string): ApiKey | undefined {
    const entry = entries.get(hash);
    const isFresh =
      entry !== undefined && clock.elapsed() < entry.freshUntil && isUnexpired(entry.key);
    return isFresh ? entry.key : undefined;
  }

  function isTakenForUnknown(hash: string): boolean {
    return clock.elapsed() < (unknown.get(hash) ?? 0);
  }

  return {
    /**
     * Returns the key of a token if the cache knows it without a query. The token may be any text.
     */
    recall(token: string): ApiKey | undefined {
      // Longer texts are not hashed, so that an attacker cannot make the service hash them.
      return token.length === tokenLength ? freshKey(hashToken(token)) : undefined;
    },

    /**
     * Tells whether a lookup would query the database for a token that it has never confirmed. Such
     * a token may be a guess.
     */
    isNew(token: string): boolean {
      const hash = hashToken(token);
      return !entries.has(hash) && !isTakenForUnknown(hash);
    },

    /**
     * Finds the key of a token; returns `undefined` if the token is unknown. Ended keys are cached
     * like active ones, so that callers who keep using an ended key cause no additional queries.
     *
     * @throws {DatabaseUnavailableError} if the database is down and has not confirmed the token in
     * the last five minutes. It is then unknown whether the token is valid.
     */
    async findByToken(token: string): Promise<ApiKey | undefined> {
      const hash = hashToken(token);
      const fresh = freshKey(hash);
      if (fresh !== undefined) return fresh;
      if (isTakenForUnknown(hash)) return undefined;
      try {
        return await reload(hash);
      } catch (error) {
        // The entry is read again, because the key may have changed during the query.
        const kept = entries.get(hash);
        if (!(error instanceof DatabaseUnavailableError) || kept === undefined) throw error;
        if (clock.elapsed() - kept.confirmedAt >= staleMs || !isUnexpired(kept.key)) throw error;
        kept.freshUntil = clock.elapsed() + retryMs;
        return kept.key;
      }
    },

    /**
     * Marks the entries of a changed key as outdated, so that they are confirmed before the next
     * use.
     */
    forget(keyId: string): void {
      // A token that is cached as unknown may be this key's new token.
      unknown.clear();
      forgetIf(({ id }) => id === keyId);
    },

    /** Marks the entries of all keys of a changed account as outdated. */
    forgetAccount(account: string): void {
      forgetIf((key) => key.account === account);
    },

    /** Marks all entries as outdated, because announcements of changes may have been missed. */
    forgetAll(): void {
      unknown.clear();
      forgetIf(() => true);
    },
  };
}
