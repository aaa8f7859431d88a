import { onConnectionError } from './connection-error.ts';
import type { RedisConnection } from './open-redis.ts';

/**
 * Watches a connection for the reason of an outage. While the connection is down, each command
 * fails with an error that only mentions options of ioredis. The last error of the connection
 * contains the real reason.
 *
 * @returns a function that receives the error of a command, and returns the real reason.
 */
export function watchForReason(redis: RedisConnection): (failure: unknown) => unknown {
  let lastError: unknown;
  onConnectionError(redis, (error) => {
    lastError = error;
  });
  redis.on('ready', () => {
    lastError = undefined;
  });
  return (failure) => {
    // A socket may have ended before ioredis has noticed it.
    const isEnded = failure instanceof Error && failure.message.includes('enableOfflineQueue');
    if (redis.status === 'ready' && !isEnded) return failure;
    return lastError ?? new Error('The connection to Redis was lost.', { cause: failure });
  };
}
