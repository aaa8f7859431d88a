import type { KeyAndAccount } from './key-quotas.ts';

/*
 * What Redis holds: a format that old and new replicas read and write side by side during an update. This
 * is version 2.
 *
 * | name | value | ends |
 * |---|---|---|
 * | `animal-store:key:{<key>}` | windows, then ban state if there is any | with the last of them |
 * | `animal-store:account:{<account>}` | windows that its keys share | with the last window |
 * | `animal-store:account:{<account>}:ban:<key>` | ban state of one of its keys | with the last of it |
 * | `animal-store:allowance:<kind>:<caller>` | decimal count, as rate-limiter-flexible writes it | after 60 s |
 * | `animal-store:probe`, `animal-store:probe:{0}` to `{31}` | `1`, to see whether Redis accepts writes | after 1 s |
 *
 * `<kind>` is `network`, `pages` or `rate-limit-status`. Braces put all that one script call touches into
 * one slot of a Cluster.
 *
 * Windows are 20 bytes, `struct.pack('>I4I6I4I6')`: used and end of the minute, used and end of the day.
 * Ban state is 32 bytes, `struct.pack('>I6I4I6I6I4I6')`: start of the episode, strikes and their end, end
 * of the ban, bans and the end of their memory. Instants are Unix times in milliseconds, 0 for none.
 * The Lua scripts beside this file and `redis-store.ts` read and write them.
 *
 * Version 1 (until `be430f2`) had no accounts. Its keys were the same. Its allowances were
 * `animal-store:network:<caller>` and `animal-store:rate-limit-status:<caller>`, packed as `>I4I6`. The library
 * cannot count in those: an error of either version makes its replica take Redis for broken. So they have
 * other names since, and each version counts its own.
 *
 * A change of a name, a value or its meaning is a new version. It converts what the version before wrote, or
 * reads and writes both. `redis-format.test.ts` fails otherwise: it plays a replica of the version before
 * beside this one, and has a sample of what this one writes.
 */

/** In front of all names. */
export const namePrefix = 'animal-store';

/** How many bytes the windows of a subject take. The ban state of a key that is its own subject follows them. */
export const windowBytes = 20;

/** The names that a probe writes: in a Cluster enough for every node to have one. */
export function probeNames(isCluster: boolean): string[] {
  const name = `${namePrefix}:probe`;
  return isCluster ? Array.from({ length: 32 }, (_, i) => `${name}:{${i}}`) : [name];
}

/** What has an allowance of its own for each caller. */
export type AllowanceKind = 'network' | 'pages' | 'rate-limit-status';

/** In front of who has the allowance. */
export function allowancePrefix(kind: AllowanceKind): string {
  return `${namePrefix}:allowance:${kind}`;
}

/**
 * Names the strikes and the ban of a key. With its windows, if the key is its own subject:
 * then a request reads and writes one string. With those of its account otherwise: a script in a Cluster
 * may only use one slot.
 *
 * @param windowsAt where the windows of its subject are.
 */
export function banNameOf(windowsAt: string, { id, accountId }: KeyAndAccount): string {
  return accountId === undefined ? windowsAt : `${windowsAt}:ban:${id}`;
}
