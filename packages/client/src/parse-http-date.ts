import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/**
 * Parses an HTTP date to Unix time in milliseconds; `undefined` if the field is not one.
 * `Date.parse` alone accepts '-1' and '3.5' as dates. Every HTTP date ends with GMT, except for the
 * `asctime` format, which has been obsolete for decades (RFC 9110, §5.6.7).
 */
export function parseHttpDate(headers: Pick<HttpHeaders, 'get'>, name: string): number | undefined {
  return Date.parse(matchField(headers, name, /(.*GMT)$/) ?? '') || undefined;
}
