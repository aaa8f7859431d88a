import type { HttpHeaders } from './http-response.ts';

/** Some thirty years: more is none the longer for it, and its milliseconds would not be exact. */
const maxSeconds = 1e9;

/**
 * Reads how long an answer asks to wait, in milliseconds (RFC 9110, §10.2.3).
 *
 * @returns `undefined` if it does not say, or not in a form that the RFC knows.
 */
export function parseRetryAfter(headers: Pick<HttpHeaders, 'get'>): number | undefined {
  const field = headers.get('Retry-After') ?? '';
  // Of several fields, the longest; and a number that long is a very long time, not no time at all.
  if (/^\d+(, ?\d+)*$/.test(field)) {
    return Math.min(Math.max(...field.split(',').map(Number)), maxSeconds) * 1000;
  }
  // The service sends seconds; some proxies send a date. It is told by their clock, which is in
  // `Date` (a browser hides that field, and then our own clock has to do).
  const until = parseHttpDate(field);
  const now = parseHttpDate(headers.get('Date') ?? '') ?? Date.now();
  return until === undefined ? undefined : Math.max(0, until - now);
}

/**
 * `Date.parse` alone takes '-1' and '3.5' for dates. Every HTTP date ends with GMT, except for that of
 * `asctime`, which nobody has sent for decades (RFC 9110, §5.6.7).
 */
function parseHttpDate(field: string): number | undefined {
  return /GMT$/.test(field) ? Date.parse(field) || undefined : undefined;
}
