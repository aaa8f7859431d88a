import type { HttpHeaders } from './http-headers.ts';
import { matchField } from './match-field.ts';

/**
 * Finds the address of a link by its relation type (RFC 8288). It parses the form that the service
 * sends, `<…>; rel="next"`, and not every form that the RFC allows.
 */
export function findLink(headers: Pick<HttpHeaders, 'get'>, rel: string): string | undefined {
  return matchField(headers, 'Link', new RegExp(`<([^<>]*)>; ?rel="?${rel}\\b`));
}
