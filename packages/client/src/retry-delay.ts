import { ApiError } from './errors/api-error.ts';
import { ConnectionError } from './errors/connection-error.ts';
import { parseRetryAfter } from './retry-after.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 8_000;

/** How much longer than asked a wait may be, so that not all clients come back in one moment. */
const jitterShare = 0.1;

/** Lengthens a wait by up to a tenth; it never shortens it. */
export function addJitter(ms: number): number {
  return ms * (1 + jitterShare * Math.random());
}

/**
 * Decides whether a failed attempt is worth another, and when.
 *
 * @param attempt which attempt failed, from 1.
 * @returns how long to wait before the next one, in milliseconds, or `undefined` for none.
 */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  maxRetryAfterMs: number,
): number | undefined {
  if (error instanceof ApiError) {
    if (!isPassing(error)) return undefined;
    const retryAfterMs = namesItsTime(error) ? parseRetryAfter(error.headers) : undefined;
    if (retryAfterMs !== undefined) {
      return retryAfterMs <= maxRetryAfterMs ? addJitter(retryAfterMs) : undefined;
    }
  } else if (!(error instanceof ConnectionError)) {
    return undefined;
  }
  // "Full jitter": of all ways to spread out clients that failed together, the one with least work.
  return Math.random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}

/** Whether the same request may well succeed in a moment. */
function isPassing({ status, code }: ApiError): boolean {
  switch (status) {
    case 409:
      return code === 'idempotency_in_progress';
    case 429:
      return code !== 'key_temporarily_banned';
    case 408:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

function namesItsTime({ status }: ApiError): boolean {
  return status === 429 || status === 503;
}
