import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/**
 * Parses an HTTP date to Unix time in milliseconds. Returns `undefined` if the field is not an HTTP
 * date. The function requires GMT at the end, because `Date.parse` alone would accept '-1' and
 * '3.5'. Every HTTP date ends with GMT, except for the obsolete `asctime` format (RFC 9110,
 * §5.6.7).
 *
 * The pattern limits the length, because without a limit it would take a second for a field with
 * 16,000 characters.
 */
export function parseHttpDate(headers: Pick<HttpHeaders, 'get'>, name: string): number | undefined {
  return Date.parse(matchField(headers, name, /^(.{1,40}GMT)$/) ?? '') || undefined;
}
