import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';
import { parseHttpDate } from './parse-http-date.ts';

/** The longest wait, about thirty years. The milliseconds of a longer one would not be exact. */
const maxSeconds = 1e9;

/**
 * Reads how long a response asks to wait, in milliseconds (RFC 9110, §10.2.3).
 *
 * @returns `undefined` if it does not say so, or not in a form of the RFC.
 */
export function parseRetryAfter(headers: Pick<HttpHeaders, 'get'>): number | undefined {
  const seconds = matchField(headers, 'Retry-After', /^(\d+(?:, ?\d+)*)$/);
  // Of several fields, the longest wait applies. A number with too many digits means a very long
  // time, not none.
  if (seconds) return Math.min(Math.max(...seconds.split(',').map(Number)), maxSeconds) * 1000;
  // The service sends seconds, and some proxies send a date by their own clock. `Date` has the time
  // of that clock. A browser hides this field, so our own clock is used then.
  const until = parseHttpDate(headers, 'Retry-After');
  const now = parseHttpDate(headers, 'Date') ?? Date.now();
  return until && Math.max(0, until - now);
}
