import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/**
 * Returns the address of the link with the given relation type from the `Link` header (RFC 8288).
 * The function parses only the form that the service sends, `<…>; rel="next"`. The RFC allows more
 * forms.
 */
export function findLink(headers: Pick<HttpHeaders, 'get'>, rel: string): string | undefined {
  return matchField(headers, 'Link', new RegExp(`<([^<>]*)>; ?rel="?${rel}\\b`));
}
