import { LRUCache } from 'lru-cache';
import { DatabaseUnavailableError } from '../database/database-error.ts';
import type { ApiKey } from './api-key.ts';
import { hashToken } from './token.ts';

/** How long a key is believed without asking again, should no word of a change arrive. */
const freshMs = 30_000;

/** How long a token that nobody has is remembered as such: a new key must work soon. */
const unknownFreshMs = 2_000;

/** How long a key stays good while the database is away. */
const staleMs = 300_000;

/** How soon a database that is away is asked again about a key. */
const retryMs = 1_000;

/** About 10 MB. Beyond it the least recently used are forgotten, and asked for again. */
const maxTokens = 20_000;

/** Apart from the others, so that guesses cannot push good keys out. */
const maxUnknownTokens = 2_000;

export type KeyCache = ReturnType<typeof createKeyCache>;

interface Entry {
  readonly key: ApiKey;
  /** When the database last said so; in milliseconds of `now`, as all times here. */
  readonly confirmedAt: number;
  /** Until when it is believed without asking again. */
  readonly freshUntil: number;
}

/**
 * Remembers which tokens stand for which keys, so that most requests cost no SQL.
 *
 * Tokens are held by their hashes: a heap dump shows none.
 *
 * @param options.load asks the database, by the hash of a token.
 * @param options.now milliseconds since whenever, on a clock that nobody sets: what is remembered must
 * not last longer because the time of day went back.
 * @param options.timeOfDay Unix time in milliseconds, by which keys expire.
 */
export function createKeyCache(options: {
  load: (hash: string) => Promise<ApiKey | undefined>;
  now?: () => number;
  timeOfDay?: () => number;
}) {
  const { load, now = () => performance.now(), timeOfDay = Date.now } = options;
  const entries = new LRUCache<string, Entry>({ max: maxTokens });
  /** Until when a token is believed to be nobody's, by its hash. */
  const unknown = new LRUCache<string, number>({ max: maxUnknownTokens });
  const loading = new Map<string, Promise<ApiKey | undefined>>();
  let generation = 0;

  /** Whether a key has not expired since it was loaded. */
  const isGood = ({ expiresAt }: ApiKey) =>
    expiresAt === undefined || timeOfDay() < expiresAt.getTime();

  function remember(hash: string, key: ApiKey | undefined): void {
    const confirmedAt = now();
    if (key === undefined) {
      entries.delete(hash);
      unknown.set(hash, confirmedAt + unknownFreshMs);
    } else {
      unknown.delete(hash);
      entries.set(hash, { key, confirmedAt, freshUntil: confirmedAt + freshMs });
    }
  }

  /** Asks the database; at most once at a time for each token. */
  function reload(hash: string): Promise<ApiKey | undefined> {
    const underWay = loading.get(hash);
    if (underWay !== undefined) return underWay;
    const begunIn = generation;
    const loaded = load(hash)
      .then((key) => {
        // Word of a change that came meanwhile may be about what was just read.
        if (generation === begunIn) remember(hash, key);
        return key;
      })
      .finally(() => {
        if (loading.get(hash) === loaded) loading.delete(hash);
      });
    loading.set(hash, loaded);
    return loaded;
  }

  return {
    /**
     * The key that a token stands for, unless it is unknown, expired or revoked.
     *
     * @throws {DatabaseUnavailableError} if the database is away and did not vouch for the token in
     * the last five minutes: then nobody can say that it is not good.
     */
    async findByToken(token: string): Promise<ApiKey | undefined> {
      const hash = hashToken(token);
      const entry = entries.get(hash);
      if (entry !== undefined && now() < entry.freshUntil && isGood(entry.key)) return entry.key;
      if (now() < (unknown.get(hash) ?? 0)) return undefined;
      try {
        return await reload(hash);
      } catch (error) {
        // Looked up again: it may have been forgotten while the database was asked, because it changed.
        const kept = entries.get(hash);
        if (!(error instanceof DatabaseUnavailableError) || kept === undefined) throw error;
        if (now() - kept.confirmedAt >= staleMs || !isGood(kept.key)) throw error;
        entries.set(hash, { ...kept, freshUntil: now() + retryMs });
        return kept.key;
      }
    },

    /** Forgets a key that changed. */
    forget(keyId: string): void {
      generation += 1;
      loading.clear();
      // A token that was unknown may be this key's new one.
      unknown.clear();
      for (const [hash, { key }] of entries.entries()) {
        if (key.id === keyId) entries.delete(hash);
      }
    },

    /** Forgets everything, when word of changes may have been missed. */
    clear(): void {
      generation += 1;
      loading.clear();
      unknown.clear();
      entries.clear();
    },
  };
}
