import { readRateLimit } from '../read-rate-limit.ts';
import type { CallDetails } from './animal-store-error.ts';
import { ApiError, type ApiErrorDetails } from './api-error.ts';

/**
 * The quota of the key is used up, or the key is banned for a while. If the client knew that
 * already, it sent no request.
 *
 * @example
 * ```ts
 * try {
 *   await store.listPets();
 * } catch (error) {
 *   if (error instanceof RateLimitError) console.log('again in', error.retryAfterMs, 'ms');
 *   else throw error;
 * }
 * ```
 */
export class RateLimitError extends ApiError {
  /** The name of the class, which narrows the type. */
  override readonly name = 'RateLimitError' as const;

  /** The HTTP status of the answer. */
  declare readonly status: 429;

  /** The limit of the window that is used up, in requests. */
  declare readonly limit: number | undefined;

  /** Requests left in that window. */
  declare readonly remaining: number | undefined;

  /** When that window resets, or the ban ends. */
  declare readonly resetAt: Date | undefined;

  /** Whether the key is banned for repeated requests after a 429. */
  declare readonly banned: boolean;

  constructor(details: ApiErrorDetails, call: CallDetails) {
    super(details, call);
    Object.assign(this, readRateLimit(details.headers));
    this.banned = details.code === 'key_temporarily_banned';
  }
}
