import type { RedisConnection } from './open-redis.ts';

const lost = 'The connection to Redis was lost.';

/** What became of a connection, by the code of its error. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Redis refused the connection.',
  ECONNRESET: lost,
  EPIPE: lost,
};

/**
 * Watches a connection, to say for the log why Redis does not decide. While there is no connection, a
 * command fails in words about options of ioredis; what happened is in the connection's own events.
 *
 * @returns a function that translates the failure of a command.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  redis.on('error', (error: unknown) => {
    lastError = error;
  });
  redis.on('ready', () => {
    lastError = undefined;
  });

  return function reasonOf(failure) {
    if (redis.status === 'ready') return failure;
    return new Error(meaningOf(lastError), { cause: failure });
  };
}

function meaningOf(error: unknown): string {
  if (!(error instanceof Error)) return lost;
  // A ClusterAllFailedError has that of the last node.
  if ('lastNodeError' in error && error.lastNodeError !== undefined) {
    return meaningOf(error.lastNodeError);
  }
  const code = 'code' in error ? String(error.code) : '';
  return meanings[code] ?? `There is no connection to Redis: ${error.message}`;
}
