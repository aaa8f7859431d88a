import { type Clock, measureClockDifference, systemClock } from '@animal-store/runtime';
import { isCluster, type RedisConnection } from './open-redis.ts';

/**
 * Measures by how many milliseconds a clock is ahead of the clock of Redis. In a Cluster, the
 * result is the largest difference to a primary, because each primary decides by its own clock.
 *
 * The command does not pass through the circuit breaker, because a measurement that fails must not
 * make this replica decide alone.
 */
export async function measureRedisClock(
  redis: RedisConnection,
  { now }: Pick<Clock, 'now'>,
): Promise<number | undefined> {
  const nodes = isCluster(redis) ? redis.nodes('master') : [redis];
  const differences = await Promise.all(
    nodes.map((node) =>
      measureClockDifference(async () => toMilliseconds(await node.time()), {
        ...systemClock,
        now,
      }),
    ),
  );
  return differences
    .filter((difference) => difference !== undefined)
    .sort((a, b) => Math.abs(b) - Math.abs(a))[0];
}

/** Converts the response of TIME, which consists of seconds and microseconds, to milliseconds. */
const toMilliseconds = ([seconds, microseconds]: readonly (string | number)[]) =>
  Number(seconds) * 1_000 + Number(microseconds) / 1_000;
