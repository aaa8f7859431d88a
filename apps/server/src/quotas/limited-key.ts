import type { Quota } from '@animal-store/contract';

/** A key under the subject that it has, or had. */
export interface KeyAndAccount {
  readonly id: string;
  /** The account whose quota it shares. Without one, it has windows of its own. */
  readonly accountId?: string | undefined;
}

/**
 * An API key, as the limiter sees it. Bans belong to the key; its requests are counted against its
 * subject. A type and not an interface, because it is passed to the library as options.
 */
export type LimitedKey = KeyAndAccount & {
  /** The quota of its subject. */
  readonly quota: Quota;
};

/**
 * The name of what the requests of a key are counted against: the key itself, or its account.
 *
 * In a Redis Cluster, the braces put all that is kept about an account into one slot.
 */
export function subjectOf({ id, accountId }: KeyAndAccount): string {
  return accountId === undefined ? `key:${id}` : `account:{${accountId}}`;
}

/** @throws {TypeError} if a caller of the library's untyped interface has left out the key or its quota. */
export function requireKey(options: Partial<LimitedKey>): asserts options is LimitedKey {
  if (options.id === undefined || options.quota === undefined) {
    throw new TypeError('Pass the API key and its quota: { id, quota }.');
  }
}
