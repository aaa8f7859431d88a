import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';
import { parseHttpDate } from './parse-http-date.ts';

/**
 * The longest wait, about thirty years. Without this limit, a number with many digits would become
 * an inexact number of milliseconds, or `Infinity`.
 */
const maxSeconds = 1e9;

/**
 * Reads the `Retry-After` field of a response (RFC 9110, §10.2.3).
 *
 * @returns the wait in milliseconds, or `undefined` if the field is missing or malformed.
 */
export function parseRetryAfter(headers: Pick<HttpHeaders, 'get'>): number | undefined {
  const seconds = matchField(headers, 'Retry-After', /^(\d+(?:, ?\d+)*)$/);
  // If there are several fields, the longest wait applies. A number with too many digits means the
  // longest possible wait.
  if (seconds) return Math.min(Math.max(...seconds.split(',').map(Number)), maxSeconds) * 1000;
  // The service sends seconds, but some proxies send a date. The `Date` field contains the time of
  // the proxy's clock, so the difference is exact. Browsers hide `Date` from pages; then the local
  // clock is used.
  const until = parseHttpDate(headers, 'Retry-After');
  const now = parseHttpDate(headers, 'Date') ?? Date.now();
  return until && Math.max(0, until - now);
}
