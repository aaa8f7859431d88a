import { type ConsumerId, escapeId, subjectOf } from './consumer.ts';

/*
 * What Redis holds: a format that old and new replicas read and write side by side during an update. This
 * is version 2.
 *
 * | name | value | ends |
 * |---|---|---|
 * | `<prefix>:key:{<key>}` | windows, then ban state if there is any | with the last of them |
 * | `<prefix>:account:{<account>}` | windows that its consumers share | with the last window |
 * | `<prefix>:account:{<account>}:ban:<key>` | ban state of one of its consumers | with the last of it |
 * | `<prefix>:allowance:<kind>:<caller>` | decimal count, as rate-limiter-flexible writes it | after 60 s |
 * | `<prefix>:probe`, `<prefix>:probe:{0}` to `{31}` | `1`, to see whether Redis accepts writes | after 1 s |
 *
 * `<prefix>` and `<kind>` are the caller's; a service has the prefix `animal-store`. `<key>` is the id of a consumer.
 * Braces put all that one script call touches into one slot of a Cluster. In ids, `{`, `}` and `%` are percent-encoded.
 *
 * Windows are 20 bytes, `struct.pack('>I4I6I4I6')`: used and end of the minute, used and end of the day.
 * Ban state is 32 bytes, `struct.pack('>I6I4I6I6I4I6')`: start of the episode, strikes and their end, end
 * of the ban, bans and the end of their memory. Instants are Unix times in milliseconds, 0 for none.
 * The Lua scripts beside this file and `redis-store.ts` read and write them.
 *
 * Version 1 (until `be430f2`) had no accounts. Its keys were the same. Its allowances were
 * `<prefix>:network:<caller>` and `<prefix>:rate-limit-status:<caller>`, packed as `>I4I6`. The library
 * cannot count in those: an error of either version makes its replica take Redis for broken. So they have
 * other names since, and each version counts its own.
 *
 * A change of a name, a value or its meaning is a new version. It converts what the version before wrote, or
 * reads and writes both. `redis-format.test.ts` fails otherwise: it plays a replica of the version before
 * beside this one, and has a sample of what this one writes.
 */

/** How many bytes the windows of a subject take. The ban state of a consumer that is its own subject follows them. */
export const windowBytes = 20;

export type RedisNames = ReturnType<typeof createRedisNames>;

/**
 * Creates what names the values in Redis.
 *
 * @param prefix in front of all names, so that two services on one Redis share nothing.
 */
export function createRedisNames(prefix: string) {
  /** Names the windows of the subject of a consumer. */
  const windowsOf = (consumer: ConsumerId) => `${prefix}:${subjectOf(consumer)}`;

  return {
    windowsOf,

    /**
     * Names the strikes and the ban of a consumer. They are with its windows, if it is its own subject: then a request
     * reads and writes one string. Otherwise they are beside those of its account: a script in a Cluster may only use
     * one slot.
     */
    banOf(consumer: ConsumerId): string {
      const { id, accountId } = consumer;
      return accountId === undefined
        ? windowsOf(consumer)
        : `${windowsOf(consumer)}:ban:${escapeId(id)}`;
    },

    /** In front of who has the allowance. */
    allowanceOf: (name: string) => `${prefix}:allowance:${name}`,

    /** The names that a probe writes: in a Cluster enough for every node to have one. */
    probes(isCluster: boolean): string[] {
      const name = `${prefix}:probe`;
      return isCluster ? Array.from({ length: 32 }, (_, i) => `${name}:{${i}}`) : [name];
    },
  };
}
