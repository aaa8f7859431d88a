import { systemClock, waitAtMost } from '@animal-store/runtime';
import type { RedisConnection } from './open-redis.ts';

/**
 * Creates a probe, which resolves if Redis can decide about requests again. The probe writes,
 * because a Redis without free memory, or a read-only Redis replica, still responds to reads.
 *
 * The probe writes to every node of a Cluster, and calls every command that the scripts use.
 * Otherwise it would succeed while one node is down, or while Redis refuses a command. The breaker
 * would then open and close four times a second.
 *
 * If the connection does not respond, the probe replaces it. The process at the other end may be
 * dead, and commands would pile up in an old connection.
 *
 * @param names the Redis keys that the probe writes.
 * @param options.timeoutMs the timeout of a response.
 * @param options.connectTimeoutMs the timeout for establishing a connection.
 */
export function createRedisProbe(
  redis: RedisConnection,
  names: readonly string[],
  options: { timeoutMs: number; connectTimeoutMs: number },
) {
  const { timeoutMs, connectTimeoutMs } = options;
  let lastReadyAt = systemClock.elapsed();

  return async function probe(): Promise<void> {
    // If ioredis is interrupted while it asks the Sentinels for the primary, it ends the connection
    // for good. Only a new call of `connect` opens it again.
    if (redis.status === 'end') redis.connect().catch(() => {});
    if (redis.status !== 'ready') {
      if (systemClock.elapsed() - lastReadyAt > connectTimeoutMs) {
        lastReadyAt = systemClock.elapsed();
        redis.disconnect(true);
      }
      throw new Error(`The connection to Redis is not ready. Its status is "${redis.status}".`);
    }
    lastReadyAt = systemClock.elapsed();
    const written = Promise.all(
      names.map(async (name) => {
        await redis.set(name, '1', 'PX', 1_000);
        // ioredis sends the first call on a connection as EVAL, and later calls as EVALSHA. The two
        // calls check both commands.
        await Promise.all([redis.probeCommands(name), redis.probeCommands(name)]);
      }),
    );
    try {
      await waitAtMost<unknown>({ ms: timeoutMs }, written, async () => {
        redis.disconnect(true);
        throw new Error(`Redis did not respond within ${timeoutMs} ms.`);
      });
    } catch (error) {
      // After a failover, the connection still leads to the old primary, which is now a read-only
      // Redis replica. So the probe reconnects. The option `reconnectOnError` of ioredis is not
      // used, because it would reconnect once for each command in flight. With a dozen commands in
      // flight, Node would warn about a leak of listeners.
      if (error instanceof Error && error.message.startsWith('READONLY')) redis.disconnect(true);
      throw error;
    }
  };
}
