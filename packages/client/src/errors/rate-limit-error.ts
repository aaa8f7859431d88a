import { readRateLimit } from '../read-rate-limit.ts';
import type { CallDetails } from './animal-store-error.ts';
import { ApiError, type ApiErrorDetails } from './api-error.ts';

/**
 * The quota of the key is used up, or the key is banned for a while. If the client already knew
 * that, it sent no request.
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

  /** The HTTP status of the response. */
  declare readonly status: 429;

  /** The limit of the used-up window, in requests. */
  declare readonly limit: number | undefined;

  /** The requests left in this window. */
  declare readonly remaining: number | undefined;

  /** When this window resets, or the ban ends. */
  declare readonly resetAt: Date | undefined;

  /** Whether the key is banned for repeated requests after a 429. */
  declare readonly banned: boolean;

  constructor(details: ApiErrorDetails, call: CallDetails) {
    super(details, call);
    Object.assign(this, readRateLimit(details.headers));
    this.banned = details.code === 'key_temporarily_banned';
  }
}
