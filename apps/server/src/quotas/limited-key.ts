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
 * In a Redis Cluster, the braces put all that is kept about it into one slot: see `redis-format.ts`.
 */
export function subjectOf({ id, accountId }: KeyAndAccount): string {
  return accountId === undefined ? `key:{${id}}` : `account:{${accountId}}`;
}

/**
 * Checks a call of the library's untyped interface.
 *
 * @throws {TypeError} if the key or its quota is left out, or more than one request is to be counted.
 */
export function requireKey(
  options: Partial<LimitedKey>,
  points = 1,
): asserts options is LimitedKey {
  if (options.id === undefined || options.quota === undefined || points !== 1) {
    throw new TypeError('Pass the API key and its quota, { id, quota }, and one point.');
  }
}

/**
 * In the place of the library's `penalty`, `reward`, `set`, `block` and `delete`: a request costs one point in
 * two windows, and only the ban rule bans.
 */
export async function unsupported(): Promise<never> {
  throw new TypeError('Of the limiter of API keys, call consume or get.');
}
