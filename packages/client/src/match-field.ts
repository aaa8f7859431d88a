import type { HttpHeaders } from './http-headers.ts';

/** Returns the first group of a pattern's match in a header field, if it matches. */
export function matchField(
  headers: Pick<HttpHeaders, 'get'>,
  name: string,
  pattern: RegExp,
): string | undefined {
  return pattern.exec(headers.get(name) ?? '')?.[1];
}
