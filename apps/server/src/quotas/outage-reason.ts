import type { RedisConnection } from './open-redis.ts';

/** How ioredis rejects a command for which there is no connection: in words about its own options. */
const withoutConnection =
  /enableOfflineQueue|maxRetriesPerRequest|^Connection is closed|^Cluster is|^None of startup nodes|slots cache/;

const lost = 'The connection to Redis was lost.';

/** What became of a connection, by the code of its error. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Redis refused the connection.',
  ECONNRESET: lost,
  EPIPE: lost,
};

/**
 * Watches a connection, to say for the log why Redis does not decide. A command that fails only tells
 * that there is no connection; why not is in the connection's own events.
 *
 * @returns a function that translates the failure of a command.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  const note = (error: unknown) => {
    lastError = error;
  };
  redis.on('error', note);
  // Of a Cluster, which tells its own errors only once no node is left.
  redis.on('node error', note);
  redis.on('ready', () => {
    lastError = undefined;
  });

  return function reasonOf(failure) {
    const isUnclear = failure instanceof Error && withoutConnection.test(failure.message);
    const isKnown = lastError !== undefined && redis.status !== 'ready';
    if (!isUnclear && !isKnown) return failure;
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
