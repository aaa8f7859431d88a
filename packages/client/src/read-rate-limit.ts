import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/** The quota state in a response. It describes the most restrictive window. */
export interface RateLimitState {
  /** The limit of the window, in requests. */
  limit: number;
  /** The number of requests left in the window. */
  remaining: number;
  /** The time when the window resets. */
  resetAt: Date;
}

/**
 * Reads the quota state from the `X-RateLimit-*` headers. Returns `undefined` if one of the three
 * is missing, or is not a whole number of at most 12 digits. A `Date` can represent every such
 * number of seconds. With an invalid date, the quota gate would refuse all later calls.
 */
export function readRateLimit(headers: Pick<HttpHeaders, 'get'>): RateLimitState | undefined {
  const [limit = 0, remaining = 0, resetAt = 0] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(matchField(headers, `X-RateLimit-${name}`, /^(\d{1,12})$/)),
  );
  return Number.isNaN(limit + remaining + resetAt)
    ? undefined
    : { limit, remaining, resetAt: new Date(resetAt * 1000) };
}
