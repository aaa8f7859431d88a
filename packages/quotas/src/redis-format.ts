import { type ConsumerId, escapeId, subjectOf } from './consumer.ts';

/*
 * The format of the data in Redis, which old and new replicas read and write side by side during an update.
 * This is version 2.
 *
 * | name | value | ends |
 * |---|---|---|
 * | `<prefix>:key:{<key>}` | windows, then ban state if there is any | when the last of them ends |
 * | `<prefix>:account:{<account>}` | windows that its consumers share | when the last window ends |
 * | `<prefix>:account:{<account>}:ban:<key>` | ban state of one of its consumers | when its last part ends |
 * | `<prefix>:allowance:<kind>:<caller>` | decimal count, as rate-limiter-flexible writes it | after 60 s |
 * | `<prefix>:probe`, `<prefix>:probe:{0}` to `{31}` | `1`, which shows that Redis accepts writes | after 1 s |
 *
 * The caller chooses `<prefix>` and `<kind>`; the prefix of the service is `animal-store`. `<key>` is the id of a
 * consumer. Braces put all names of one script call into one slot of a Cluster. In ids, `{`, `}` and `%` are
 * percent-encoded.
 *
 * Windows are 20 bytes, `struct.pack('>I4I6I4I6')`: used and end of the minute, used and end of the day.
 * Ban state is 32 bytes, `struct.pack('>I6I4I6I6I4I6')`: start of the episode, strikes and their end, end
 * of the ban, bans and the end of their memory. Times are Unix times in milliseconds, 0 for none.
 * The Lua scripts beside this file and `redis-store.ts` read and write them.
 *
 * Version 1 (until `be430f2`) had no accounts. Its keys were the same. Its allowances were
 * `<prefix>:network:<caller>` and `<prefix>:rate-limit-status:<caller>`, packed as `>I4I6`. The library
 * cannot count in such values, and an error makes a replica of either version treat Redis as down. So version 2
 * uses other names, and each version counts its own allowances.
 *
 * A change of a name, a value or its meaning is a new version. The new version converts the data of the previous
 * one, or reads and writes both. `redis-format.test.ts` fails otherwise: it runs a replica of the previous version
 * beside this one, and compares the data of this version with a sample.
 */

/**
 * How many bytes the windows of a subject take. The ban state of a consumer without an account
 * follows them.
 */
export const windowBytes = 20;

export type RedisNames = ReturnType<typeof createRedisNames>;

/**
 * Creates the functions that name the values in Redis.
 *
 * @param prefix the start of all names, so that two services on one Redis share nothing.
 */
export function createRedisNames(prefix: string) {
  /** Returns the name of the windows of a consumer's subject. */
  const windowsOf = (consumer: ConsumerId) => `${prefix}:${subjectOf(consumer)}`;

  return {
    windowsOf,

    /**
     * Returns the name of the strikes and the ban of a consumer. A consumer without an account
     * stores them behind its windows, so that a request reads and writes one string. Otherwise they
     * are beside the windows of the account, because a script in a Cluster may only use one slot.
     */
    banOf(consumer: ConsumerId): string {
      const { id, accountId } = consumer;
      return accountId === undefined
        ? windowsOf(consumer)
        : `${windowsOf(consumer)}:ban:${escapeId(id)}`;
    },

    /** Returns the start of the names of an allowance. The caller's id follows it. */
    allowanceOf: (name: string) => `${prefix}:allowance:${name}`,

    /** The names that a probe writes. In a Cluster, they are enough for every node to have one. */
    probes(isCluster: boolean): string[] {
      const name = `${prefix}:probe`;
      return isCluster ? Array.from({ length: 32 }, (_, i) => `${name}:{${i}}`) : [name];
    },
  };
}
