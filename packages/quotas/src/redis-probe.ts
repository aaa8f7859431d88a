import { systemClock, waitAtMost } from '@animal-store/runtime';
import type { RedisConnection } from './open-redis.ts';

/**
 * Creates a probe that resolves once Redis can decide again. The probe writes, because a Redis that
 * is out of memory or became a read-only replica still responds to reads. It writes to every node
 * of a Cluster, and calls every command of the scripts. Otherwise it would succeed while a node is
 * down, or while Redis refuses a command, and the breaker would open and close four times a second.
 *
 * The probe replaces a connection that does not respond: the process at its other end may be gone,
 * and commands would pile up.
 *
 * @param names the names that the probe writes.
 * @param options.timeoutMs the timeout of a response.
 * @param options.connectTimeoutMs the timeout of a connection that is being established.
 */
export function createRedisProbe(
  redis: RedisConnection,
  names: readonly string[],
  options: { timeoutMs: number; connectTimeoutMs: number },
) {
  const { timeoutMs, connectTimeoutMs } = options;
  let lastReadyAt = systemClock.elapsed();

  return async function probe(): Promise<void> {
    // An interruption while ioredis asks Sentinels for the primary would end the connection for
    // good.
    if (redis.status === 'end') redis.connect().catch(() => {});
    if (redis.status !== 'ready') {
      if (systemClock.elapsed() - lastReadyAt > connectTimeoutMs) {
        lastReadyAt = systemClock.elapsed();
        redis.disconnect(true);
      }
      throw new Error(`The connection to Redis is not ready but "${redis.status}".`);
    }
    lastReadyAt = systemClock.elapsed();
    const written = Promise.all(
      names.map(async (name) => {
        await redis.set(name, '1', 'PX', 1_000);
        // The client sends the first call on a connection as EVAL, and later ones as EVALSHA.
        await Promise.all([redis.probeCommands(name), redis.probeCommands(name)]);
      }),
    );
    try {
      await waitAtMost<unknown>({ ms: timeoutMs }, written, async () => {
        redis.disconnect(true);
        throw new Error(`Redis did not respond within ${timeoutMs} ms.`);
      });
    } catch (error) {
      // After a failover, the connection still leads to the old primary, which is a replica now.
      // ioredis's `reconnectOnError` would reconnect once for every command in flight. With a dozen
      // commands, Node warns about a leak of listeners.
      if (error instanceof Error && error.message.startsWith('READONLY')) redis.disconnect(true);
      throw error;
    }
  };
}
