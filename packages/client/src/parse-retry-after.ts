import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';
import { parseHttpDate } from './parse-http-date.ts';

/** Some thirty years: more is none the longer for it, and its milliseconds would not be exact. */
const maxSeconds = 1e9;

/**
 * Reads how long an answer asks to wait, in milliseconds (RFC 9110, §10.2.3).
 *
 * @returns `undefined` if it does not say, or not in a form that the RFC knows.
 */
export function parseRetryAfter(headers: Pick<HttpHeaders, 'get'>): number | undefined {
  const seconds = matchField(headers, 'Retry-After', /^(\d+(?:, ?\d+)*)$/);
  // Of several fields, the longest; and a number that long is a very long time, not no time at all.
  if (seconds) return Math.min(Math.max(...seconds.split(',').map(Number)), maxSeconds) * 1000;
  // The service sends seconds; some proxies send a date. It is told by their clock, which is in
  // `Date` (a browser hides that field, and then our own clock has to do).
  const until = parseHttpDate(headers, 'Retry-After');
  const now = parseHttpDate(headers, 'Date') ?? Date.now();
  return until && Math.max(0, until - now);
}
