import { Cluster } from 'ioredis';
import type { RedisConnection } from './open-redis.ts';

/** How long a connection may take to be ready before another is tried. */
const patienceMs = 1_000;

/**
 * So many keys that every node of a Cluster has one: a node that answers says nothing of another,
 * and to believe it would open and close the circuit four times a second while a node is away.
 */
const clusterKeys = Array.from({ length: 32 }, (_, i) => `animal-store:probe:{${i}}`);

/**
 * Makes a probe that tells whether Redis can decide again. It writes, because a Redis that is out
 * of memory, or became a read-only replica, still answers reads.
 *
 * A connection that stays silent is dropped for a new one: the process at its other end may be
 * gone, and what waits in it would only grow.
 */
export function createRedisProbe(redis: RedisConnection, timeoutMs: number) {
  const keys = redis instanceof Cluster ? clusterKeys : ['animal-store:probe'];
  let lastReadyAt = performance.now();

  return async function probe(): Promise<void> {
    if (redis.status !== 'ready') {
      if (performance.now() - lastReadyAt > patienceMs) {
        lastReadyAt = performance.now();
        redis.disconnect(true);
      }
      throw new Error(`The connection to Redis is not ready but "${redis.status}".`);
    }
    lastReadyAt = performance.now();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      redis.disconnect(true);
      late.reject(new Error(`Redis did not answer within ${timeoutMs} ms.`));
    }, timeoutMs);
    try {
      const written = Promise.all(keys.map((key) => redis.set(key, '1', 'PX', 1_000)));
      await Promise.race([written, late.promise]);
    } catch (error) {
      // After a failover the old primary, now a replica, still holds the connection. It is dropped
      // here and not by ioredis's `reconnectOnError`, which drops it for every command in flight, and
      // with a dozen of them has Node warn of a leak of listeners.
      if (error instanceof Error && error.message.startsWith('READONLY')) redis.disconnect(true);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}
