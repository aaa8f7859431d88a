import { ApiError } from './errors/api-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { parseRetryAfter } from './parse-retry-after.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 8_000;

/** How much longer than asked a wait may be, so that not all clients come back in one moment. */
const jitterShare = 0.1;

/**
 * Decides whether a failed attempt is worth another, and when.
 *
 * @param attempt which attempt failed, from 1.
 * @param options `isRepeatable` tells whether the service may get the same request twice (RFC 9110,
 * §9.2.2). If not, only a 429 is repeated, for then the service has done nothing.
 * @returns how long to wait before the next one, in milliseconds, or `undefined` for none.
 */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  { maxRetryAfterMs, isRepeatable }: { maxRetryAfterMs: number; isRepeatable: boolean },
): number | undefined {
  if (error instanceof ApiError) {
    const { status, code, headers } = error;
    // Whether the same request may well succeed in a moment.
    const isPassing =
      status === 409
        ? code === 'idempotency_in_progress'
        : code !== 'key_temporarily_banned' && [408, 429, 500, 502, 503, 504].includes(status);
    if (!isPassing || !(isRepeatable || status === 429)) return undefined;
    const retryAfterMs = [429, 503].includes(status) ? parseRetryAfter(headers) : undefined;
    if (retryAfterMs !== undefined) {
      return retryAfterMs <= maxRetryAfterMs
        ? retryAfterMs * (1 + jitterShare * Math.random())
        : undefined;
    }
  } else if (!(error instanceof ConnectionError && isRepeatable)) {
    return undefined;
  }
  // "Full jitter": of all ways to spread out clients that failed together, the one with least work.
  return Math.random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}
