import { DatabaseUnavailableError } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.ts';
import { hashToken, tokenLength } from './token.ts';

/**
 * The largest number of cached API keys. A full cache uses about 10 MB of memory. It evicts the
 * least recently used API key.
 */
const maxTokens = 20_000;

/**
 * The largest number of cached unknown tokens. Unknown tokens have a separate cache, so that an
 * attacker who guesses tokens cannot evict valid API keys.
 */
const maxUnknownTokens = 2_000;

/** The lifetimes of the entries in the cache of API keys. */
const defaultKeyCacheSettings = {
  /**
   * The time for which a cached API key is used without a query, unless a replica announces a
   * change of the key.
   */
  freshMs: 30_000,
  /**
   * The time for which an unknown token is cached. The time is short, because the token may belong
   * to an API key that is being created. The cache would refuse the new key for this time.
   */
  unknownFreshMs: 2_000,
  /** The time for which a cached API key may be used while the database is down. */
  staleMs: 300_000,
  /** The time between two queries for the same API key while the database is down. */
  retryMs: 1_000,
};

export type KeyCacheSettings = Readonly<typeof defaultKeyCacheSettings>;

export type KeyCache = ReturnType<typeof createKeyCache>;

/**
 * A cached API key that the database has confirmed. When a replica announces a change of the key,
 * the entry stays in the cache, but must be confirmed again before it is used.
 */
interface Entry {
  readonly key: ApiKey;
  /**
   * The time when the database last confirmed the API key; `never` if the key may have changed
   * since. The time comes from a monotonic clock, so that an entry does not live longer when the
   * system clock is set back.
   */
  confirmedAt: number;
  /** The time until which the API key is used without a query of the database. */
  freshUntil: number;
}

const never = Number.NEGATIVE_INFINITY;

/**
 * Creates the cache that finds the API key of a token, so that most requests need no SQL statement.
 * The cache stores hashes instead of tokens, so that a heap dump contains no tokens.
 *
 * @param options.load a function that finds the API key of a token in the database, by the token's
 * hash.
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
  /** The hashes of unknown tokens, with the times until which the cache treats them as unknown. */
  const unknown = new LRUCache<string, number>({ max: maxUnknownTokens });
  const loading = new Map<string, Promise<ApiKey | undefined>>();
  let generation = 0;

  const isUnexpired = ({ expiresAt }: ApiKey) =>
    expiresAt === undefined || clock.now() < expiresAt.getTime();

  function cache(hash: string, key: ApiKey | undefined): void {
    const confirmedAt = clock.elapsed();
    if (key === undefined) {
      entries.delete(hash);
      unknown.set(hash, confirmedAt + unknownFreshMs);
    } else {
      unknown.delete(hash);
      entries.set(hash, { key, confirmedAt, freshUntil: confirmedAt + freshMs });
    }
  }

  /** Queries the database for a token. Concurrent lookups of the same token share one query. */
  function reload(hash: string): Promise<ApiKey | undefined> {
    const pending = loading.get(hash);
    if (pending !== undefined) return pending;
    const startedIn = generation;
    const loaded = load(hash)
      .then((key) => {
        // The result is not cached if a change was announced during the query. The changed API key
        // may be this one, and the cached result would then be outdated.
        if (generation === startedIn) cache(hash, key);
        return key;
      })
      .finally(() => {
        if (loading.get(hash) === loaded) loading.delete(hash);
      });
    loading.set(hash, loaded);
    return loaded;
  }

  function invalidateIf(hasChanged: (key: ApiKey) => boolean): void {
    generation += 1;
    loading.clear();
    for (const entry of entries.values()) {
      if (!hasChanged(entry.key)) continue;
      entry.confirmedAt = never;
      entry.freshUntil = never;
    }
  }

  /** Returns the cached API key for a token's hash, if the API key may be used without a query. */
  function freshKey(hash: string): ApiKey | undefined {
    const entry = entries.get(hash);
    const isFresh =
      entry !== undefined && clock.elapsed() < entry.freshUntil && isUnexpired(entry.key);
    return isFresh ? entry.key : undefined;
  }

  function isCachedAsUnknown(hash: string): boolean {
    return clock.elapsed() < (unknown.get(hash) ?? 0);
  }

  return {
    /**
     * Returns the API key of a token if the cache contains it and no query is needed. The token may
     * be any text.
     */
    findCached(token: string): ApiKey | undefined {
      // A text that is longer or shorter than a token is not hashed, so that an attacker cannot
      // waste CPU time with long texts.
      return token.length === tokenLength ? freshKey(hashToken(token)) : undefined;
    },

    /**
     * Tells whether the cache has no entry for a token. The token may be a guess of an attacker,
     * and its lookup would query the database.
     */
    isUncached(token: string): boolean {
      const hash = hashToken(token);
      return !entries.has(hash) && !isCachedAsUnknown(hash);
    },

    /**
     * Finds the API key of a token. Returns `undefined` if the token is unknown. Expired and
     * revoked keys are cached like active ones, so that callers who still use them cause no
     * additional queries.
     *
     * @throws {DatabaseUnavailableError} if the database is down and has not confirmed the token in
     * the last five minutes. Nobody knows then whether the token is valid.
     */
    async findByToken(token: string): Promise<ApiKey | undefined> {
      const hash = hashToken(token);
      const fresh = freshKey(hash);
      if (fresh !== undefined) return fresh;
      if (isCachedAsUnknown(hash)) return undefined;
      try {
        return await reload(hash);
      } catch (error) {
        // The entry is read from the cache again, because the API key may have changed during the
        // query.
        const kept = entries.get(hash);
        if (!(error instanceof DatabaseUnavailableError) || kept === undefined) throw error;
        if (clock.elapsed() - kept.confirmedAt >= staleMs || !isUnexpired(kept.key)) throw error;
        kept.freshUntil = clock.elapsed() + retryMs;
        return kept.key;
      }
    },

    /**
     * Marks the cache entries of a changed API key as outdated, so that they are confirmed before
     * the next use.
     */
    invalidate(keyId: string): void {
      // All unknown tokens are deleted, because one of them may be the new token of this API key.
      unknown.clear();
      invalidateIf(({ id }) => id === keyId);
    },

    /** Marks the cache entries of all API keys of a changed account as outdated. */
    invalidateAccount(account: string): void {
      invalidateIf((key) => key.account === account);
    },

    /**
     * Marks all cache entries as outdated. The function is called when announcements of changes may
     * have been lost.
     */
    invalidateAll(): void {
      unknown.clear();
      invalidateIf(() => true);
    },
  };
}
