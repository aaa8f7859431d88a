import type { RedisConnection } from './open-redis.ts';

/** How long a connection may take to be ready before another is tried. */
const patienceMs = 1_000;

/**
 * Makes a probe that tells whether Redis can decide again. It writes, because a Redis that is out
 * of memory, or became a read-only replica, still answers reads.
 *
 * A connection that stays silent is dropped for a new one: the process at its other end may be
 * gone, and what waits in it would only grow.
 */
export function createRedisProbe(redis: RedisConnection, timeoutMs: number) {
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
      await Promise.race([redis.set('animal-store:probe', '1', 'PX', 1_000), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
