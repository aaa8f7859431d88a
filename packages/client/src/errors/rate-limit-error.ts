import { readRateLimit } from '../rate-limit-state.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { ApiError, type ApiErrorDetails } from './api-error.ts';

/** The key's quota is used up, or the key is banned for a while. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError' as const;
  override readonly status = 429 as const;

  /** How long to wait, in milliseconds: a request sent after that is admitted. */
  readonly retryAfterMs: number | undefined;

  /** The limit of the window that is used up, in requests. */
  readonly limit: number | undefined;

  /** Requests left in that window. */
  readonly remaining: number | undefined;

  /** When that window resets, or the ban ends. */
  readonly resetAt: Date | undefined;

  /** Whether the key is banned for repeated requests after a 429. */
  readonly banned: boolean;

  constructor(details: ApiErrorDetails, options?: { cause?: unknown }) {
    super(details, options);
    const rateLimit = readRateLimit(details.headers);
    this.retryAfterMs = parseRetryAfter(details.headers);
    this.limit = rateLimit?.limit;
    this.remaining = rateLimit?.remaining;
    this.resetAt = rateLimit?.resetAt;
    this.banned = details.code === 'key_temporarily_banned';
  }
}
