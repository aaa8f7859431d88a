import { readRateLimit } from '../read-rate-limit.ts';
import type { CallDetails } from './animal-store-error.ts';
import { ApiError, type ApiErrorDetails } from './api-error.ts';

/**
 * An error for status 429: the quota of the API key is used up, or the key is temporarily banned.
 * If earlier responses had already reported this, the client sent no request.
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
  /** The name of the class. A check of `name` narrows the type of the error. */
  override readonly name = 'RateLimitError' as const;

  /** The HTTP status of the response. */
  declare readonly status: 429;

  /** The limit of the window that is used up, in requests. */
  declare readonly limit: number | undefined;

  /** The number of requests left in the window that `limit` describes. */
  declare readonly remaining: number | undefined;

  /** The time when the window that `limit` describes resets, or when the ban ends. */
  declare readonly resetAt: Date | undefined;

  /** Whether the API key is banned because it kept sending requests after a 429. */
  declare readonly banned: boolean;

  constructor(details: ApiErrorDetails, call: CallDetails) {
    super(details, call);
    Object.assign(this, readRateLimit(details.headers));
    this.banned = details.code === 'key_temporarily_banned';
  }
}
