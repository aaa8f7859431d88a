import { rateLimitHeaders } from '@animal-store/contract';

/**
 * Reads how long an answer asks to wait, in milliseconds (RFC 9110, §10.2.3).
 *
 * @returns `undefined` if it does not say, or not in a form that the RFC knows.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const field = headers.get(rateLimitHeaders.retryAfter) ?? '';
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1000;
  // The service sends seconds; some proxies send a date. It is told by their clock, which is in
  // `Date` (a browser hides that field, and then our own clock has to do).
  const until = parseHttpDate(field);
  const now = parseHttpDate(headers.get('Date') ?? '') ?? Date.now();
  return until === undefined ? undefined : Math.max(0, until - now);
}

/** `Date.parse` alone takes '-1' and '3.5' for dates; every HTTP date begins with a day's name. */
function parseHttpDate(field: string): number | undefined {
  const time = /^[A-Z][a-z]+,? /.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
