import type { AnimalStoreError } from './errors/animal-store-error.ts';
import type { ApiError } from './errors/api-error.ts';
import { ConnectionError } from './errors/connection-error.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 8_000;

/**
 * The largest random extension of a wait, as a share of the requested wait. With this jitter, not
 * all clients come back at the same time.
 */
const jitterShare = 0.1;

/**
 * Decides whether and when a failed attempt is retried.
 *
 * @param attempt the number of the failed attempt, from 1.
 * @returns the wait before the next attempt in milliseconds, or `undefined` if the call must not be
 *   retried.
 */
export function retryDelayMs(
  error: AnimalStoreError & Partial<Pick<ApiError, 'status' | 'code' | 'retryAfterMs'>>,
  attempt: number,
  maxRetryAfterMs: number,
): number | undefined {
  const { status = 0, code, retryAfterMs } = error;
  // Whether the failure is temporary, so that the same request may succeed soon.
  const isTemporary =
    error instanceof ConnectionError ||
    code === 'idempotency_in_progress' ||
    (code !== 'key_temporarily_banned' && [408, 429, 500, 502, 503, 504].includes(status));
  if (!isTemporary) return undefined;
  if (retryAfterMs !== undefined) {
    return retryAfterMs <= maxRetryAfterMs
      ? retryAfterMs * (1 + jitterShare * Math.random())
      : undefined;
  }
  // The delay is a random time between 0 and a maximum that doubles with each attempt ("full
  // jitter"). When many clients have failed at the same time, this strategy causes the fewest
  // requests.
  return Math.random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}
