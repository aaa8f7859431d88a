import { type ConsumerId, escapeId, subjectOf } from './consumer.ts';

/*
 * The format of the data in Redis, version 2. During an update, old and new replicas of the service read and write the
 * same data.
 *
 * | Redis key | value | expires |
 * |---|---|---|
 * | `<prefix>:key:{<key>}` | windows, and the ban state if there is one | when both have expired |
 * | `<prefix>:account:{<account>}` | windows that all consumers of the account share | when both windows have expired |
 * | `<prefix>:account:{<account>}:ban:<key>` | ban state of one consumer of the account | when all parts have expired |
 * | `<prefix>:allowance:<kind>:<caller>` | decimal count, as rate-limiter-flexible writes it | after 60 s |
 * | `<prefix>:probe`, `<prefix>:probe:{0}` to `{31}` | `1`, written to check that Redis accepts writes | after 1 s |
 *
 * The caller of this package chooses `<prefix>` and `<kind>`. The Animal Store uses the prefix `animal-store`. `<key>`
 * is the id of a consumer. The braces put all Redis keys of one script call into the same slot of a Cluster. In ids,
 * `{`, `}` and `%` are percent-encoded.
 *
 * Windows are 20 bytes, written by `struct.pack('>I4I6I4I6')`: used and end of the minute, used and end of the day.
 *
 * A ban state is 32 bytes, written by `struct.pack('>I6I4I6I6I4I6')`: start of the episode of denied requests,
 * number and end of the strikes (denied requests that count towards a ban), end of the ban, number of earlier bans and
 * the time when they expire. All times are Unix times in milliseconds, or 0. The Lua scripts next to this file and
 * `redis-store.ts` read and write this format.
 *
 * Version 1 (until commit `be430f2`) had no accounts. Consumers had the same Redis keys as in
 * version 2. Allowances were named `<prefix>:network:<caller>` and
 * `<prefix>:rate-limit-status:<caller>`, and packed as `>I4I6`. The library rate-limiter-flexible,
 * which version 2 uses, cannot count in packed values. If it found one, its error would make a
 * replica of the service treat Redis as down. So version 2 uses other Redis keys for allowances,
 * and each version counts its own.
 *
 * If you change a Redis key, a value or the meaning of a value, the format needs a new version. The new version must
 * convert the data of the previous version, or read and write both formats. `redis-format.test.ts` checks this. The test
 * runs a replica of the previous version together with a replica of this version, and compares the data of this version
 * with a sample.
 */

/**
 * The length of the windows of a consumer or an account, in bytes. The ban state of a consumer
 * without an account follows them in the same string.
 */
export const windowBytes = 20;

export type RedisNames = ReturnType<typeof createRedisNames>;

/**
 * Creates the functions that return the Redis keys of all values.
 *
 * @param prefix the beginning of all Redis keys. With different prefixes, two services on one Redis do
 *   not share any value.
 */
export function createRedisNames(prefix: string) {
  /**
   * Returns the Redis key of the windows of a consumer's subject: its account, or the consumer
   * itself.
   */
  const windowsOf = (consumer: ConsumerId) => `${prefix}:${subjectOf(consumer)}`;

  return {
    windowsOf,

    /**
     * Returns the Redis key under which a consumer's strikes and ban are stored.
     *
     * A consumer without an account has them in the same string as its windows, so that a request
     * reads and writes one string. A consumer of an account has its own string in the slot of the
     * account, because a script in a Cluster may use only one slot.
     */
    banOf(consumer: ConsumerId): string {
      const { id, accountId } = consumer;
      return accountId === undefined
        ? windowsOf(consumer)
        : `${windowsOf(consumer)}:ban:${escapeId(id)}`;
    },

    /**
     * Returns the beginning of the Redis keys of an allowance. The id of the caller follows this
     * beginning.
     */
    allowanceOf: (name: string) => `${prefix}:allowance:${name}`,

    /**
     * Returns the Redis keys that a probe writes. For `every node`, there are so many Redis keys that
     * every node of a Cluster stores at least one.
     */
    probes(count: 'one' | 'every node'): string[] {
      const name = `${prefix}:probe`;
      return count === 'one' ? [name] : Array.from({ length: 32 }, (_, i) => `${name}:{${i}}`);
    },
  };
}
