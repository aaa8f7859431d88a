import { parseRateLimit } from '@animal-store/contract';
import type { HttpHeaders } from './http-response.ts';

/** What an answer says about the key's quota: of its most restrictive window. */
export interface RateLimitState {
  /** Requests that the window has room for. */
  limit: number;
  /** Requests left in the window. */
  remaining: number;
  /** When the window resets. */
  resetAt: Date;
}

/** Reads it, or gives `undefined` if one of the three fields is missing or no whole number. */
export function readRateLimit(headers: Pick<HttpHeaders, 'get'>): RateLimitState | undefined {
  const rateLimit = parseRateLimit((name) => headers.get(name));
  return rateLimit && { ...rateLimit, resetAt: new Date(rateLimit.resetAt * 1000) };
}
