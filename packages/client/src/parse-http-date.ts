import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/**
 * Reads a field that is an HTTP date, as Unix time in milliseconds; `undefined` if it is none.
 * `Date.parse` alone takes '-1' and '3.5' for dates. Every HTTP date ends with GMT, except for that of
 * `asctime`, which nobody has sent for decades (RFC 9110, §5.6.7).
 */
export function parseHttpDate(headers: Pick<HttpHeaders, 'get'>, name: string): number | undefined {
  return Date.parse(matchField(headers, name, /(.*GMT)$/) ?? '') || undefined;
}
