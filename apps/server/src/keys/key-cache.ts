import { DatabaseUnavailableError } from '@animal-store/postgres';
import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import type { ApiKey } from './api-key.ts';
import { hashToken, tokenLength } from './token.ts';

/** About 10 MB. Beyond it, the least recently used entries are dropped. */
const maxTokens = 20_000;

/** A cache of its own: an attacker who guesses tokens must not evict valid keys. */
const maxUnknownTokens = 2_000;

/** How long keys are known. */
const defaultKeyCacheSettings = {
  /** How long a cached key is used without asking again, if no change is announced. */
  freshMs: 30_000,
  /** How long an unknown token is cached. Short, because a new key must work soon. */
  unknownFreshMs: 2_000,
  /** How long a cached key stays valid while the database is down. */
  staleMs: 300_000,
  /** How long a database that is down is not asked again about the same key. */
  retryMs: 1_000,
};

export type KeyCacheSettings = Readonly<typeof defaultKeyCacheSettings>;

export type KeyCache = ReturnType<typeof createKeyCache>;

/** A key whose token the database has confirmed. It stays known when it may have changed. */
interface Entry {
  readonly key: ApiKey;
  /**
   * When the database last confirmed it; `never` if it may have changed since. By a clock that never jumps:
   * an entry must not live longer because the time of day was set back.
   */
  confirmedAt: number;
  /** Until when it is used without asking again. */
  freshUntil: number;
}

const never = Number.NEGATIVE_INFINITY;

/**
 * Caches the keys of tokens, so that most requests need no SQL.
 *
 * The cache holds hashes: a heap dump shows no token.
 *
 * @param options.load asks the database for the key of a token, by the token's hash.
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
  /** Until when a token is taken for unknown, by its hash. */
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

  /** Asks the database. Concurrent lookups of the same token share one query. */
  function reload(hash: string): Promise<ApiKey | undefined> {
    const pending = loading.get(hash);
    if (pending !== undefined) return pending;
    const startedIn = generation;
    const loaded = load(hash)
      .then((key) => {
        // A change that was announced during the query may concern this key, so do not cache it.
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

  /** A cached key that needs no confirmation. */
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
    /** The key of a token if it is known without asking the database. Any text may be given. */
    recall(token: string): ApiKey | undefined {
      // An attacker must not make us hash long texts.
      return token.length === tokenLength ? freshKey(hashToken(token)) : undefined;
    },

    /**
     * Whether the database would be asked about a token that it has not confirmed before: it may be a guess.
     */
    isNew(token: string): boolean {
      const hash = hashToken(token);
      return !entries.has(hash) && !isTakenForUnknown(hash);
    },

    /**
     * Finds the key of a token. `undefined` if the token is unknown. Keys that have ended are cached like others:
     * whoever goes on trying one costs no more look-ups than whoever may use it.
     *
     * @throws {DatabaseUnavailableError} if the database is down and did not confirm the token in the
     * last five minutes: whether the token is valid is then unknown.
     */
    async findByToken(token: string): Promise<ApiKey | undefined> {
      const hash = hashToken(token);
      const fresh = freshKey(hash);
      if (fresh !== undefined) return fresh;
      if (isTakenForUnknown(hash)) return undefined;
      try {
        return await reload(hash);
      } catch (error) {
        // Looked up again, because the key may have changed during the query.
        const kept = entries.get(hash);
        if (!(error instanceof DatabaseUnavailableError) || kept === undefined) throw error;
        if (clock.elapsed() - kept.confirmedAt >= staleMs || !isUnexpired(kept.key)) throw error;
        kept.freshUntil = clock.elapsed() + retryMs;
        return kept.key;
      }
    },

    /** Stops using the entries of a key that changed, until the database has confirmed it again. */
    forget(keyId: string): void {
      // An unknown token may be this key's new one.
      unknown.clear();
      forgetIf(({ id }) => id === keyId);
    },

    /** The same for all keys of an account that changed. */
    forgetAccount(account: string): void {
      forgetIf((key) => key.account === account);
    },

    /** The same for all entries, because announcements of changes may have been missed. */
    forgetAll(): void {
      unknown.clear();
      forgetIf(() => true);
    },
  };
}
