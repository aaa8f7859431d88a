import { systemClock, waitAtMost } from '@animal-store/runtime';
import type { RedisConnection } from './open-redis.ts';

/**
 * Creates a probe that resolves once Redis can decide again. It writes, because a Redis that is out of
 * memory or became a read-only replica still answers reads. It writes to every node of a Cluster: otherwise it
 * would succeed while a node is away, and the breaker would open and close four times a second.
 *
 * A silent connection is replaced: the process at its other end may be gone, and the commands that
 * wait in it would only pile up.
 *
 * @param names what it writes.
 * @param options.timeoutMs how long Redis may take to answer.
 * @param options.connectTimeoutMs how long a connection may take to be ready before a new one is tried.
 */
export function createRedisProbe(
  redis: RedisConnection,
  names: readonly string[],
  options: { timeoutMs: number; connectTimeoutMs: number },
) {
  const { timeoutMs, connectTimeoutMs } = options;
  let lastReadyAt = systemClock.elapsed();

  return async function probe(): Promise<void> {
    // What interrupts ioredis while it asks Sentinels for the primary ends the connection for good.
    if (redis.status === 'end') redis.connect().catch(() => {});
    if (redis.status !== 'ready') {
      if (systemClock.elapsed() - lastReadyAt > connectTimeoutMs) {
        lastReadyAt = systemClock.elapsed();
        redis.disconnect(true);
      }
      throw new Error(`The connection to Redis is not ready but "${redis.status}".`);
    }
    lastReadyAt = systemClock.elapsed();
    const written = Promise.all(names.map((name) => redis.set(name, '1', 'PX', 1_000)));
    try {
      await waitAtMost<unknown>({ ms: timeoutMs }, written, async () => {
        redis.disconnect(true);
        throw new Error(`Redis did not answer within ${timeoutMs} ms.`);
      });
    } catch (error) {
      // After a failover the connection still leads to the old primary, now a replica. ioredis's
      // `reconnectOnError` would reconnect once for every command in flight; with a dozen of them Node
      // warns of a leak of listeners.
      if (error instanceof Error && error.message.startsWith('READONLY')) redis.disconnect(true);
      throw error;
    }
  };
}
