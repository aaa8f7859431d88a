import type { AnimalStoreError } from './errors/animal-store-error.ts';
import type { ApiError } from './errors/api-error.ts';
import { ConnectionError } from './errors/connection-error.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 8_000;

/**
 * How much longer than requested a wait may be, so that not all clients come back at the same time.
 */
const jitterShare = 0.1;

/**
 * Decides whether a failed attempt is retried, and when.
 *
 * @param attempt which attempt failed, from 1.
 * @returns how long to wait before the next one, in milliseconds, or `undefined` for none.
 */
export function retryDelayMs(
  error: AnimalStoreError & Partial<Pick<ApiError, 'status' | 'code' | 'retryAfterMs'>>,
  attempt: number,
  maxRetryAfterMs: number,
): number | undefined {
  const { status = 0, code, retryAfterMs } = error;
  // Whether the same request may succeed soon.
  const isPassing =
    error instanceof ConnectionError ||
    code === 'idempotency_in_progress' ||
    (code !== 'key_temporarily_banned' && [408, 429, 500, 502, 503, 504].includes(status));
  if (!isPassing) return undefined;
  if (retryAfterMs !== undefined) {
    return retryAfterMs <= maxRetryAfterMs
      ? retryAfterMs * (1 + jitterShare * Math.random())
      : undefined;
  }
  // "Full jitter" causes the least work of all ways to spread out clients that failed together.
  return Math.random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}
