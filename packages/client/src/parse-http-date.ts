import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/**
 * Parses an HTTP date to Unix time in milliseconds. Returns `undefined` if the field is not an HTTP
 * date. `Date.parse` alone would accept '-1' and '3.5'. Every HTTP date ends with GMT, except for
 * the obsolete `asctime` format (RFC 9110, §5.6.7).
 *
 * The length is limited, because the pattern without a limit would take a second for a field of 16
 * kB.
 */
export function parseHttpDate(headers: Pick<HttpHeaders, 'get'>, name: string): number | undefined {
  return Date.parse(matchField(headers, name, /^(.{1,40}GMT)$/) ?? '') || undefined;
}
