import type { HttpHeaders } from './http-headers.ts';

/** Returns the first group of the pattern if a header field matches it, otherwise `undefined`. */
export function matchField(
  headers: Pick<HttpHeaders, 'get'>,
  name: string,
  pattern: RegExp,
): string | undefined {
  return pattern.exec(headers.get(name) ?? '')?.[1];
}
