import type { Request } from 'express';
import { HttpError } from './http-error.ts';

/**
 * Normalizes the percent-encoding of a path for the Express Router.
 *
 * - Encoded letters, digits, `-`, `.`, `_` and `~` are decoded: `/v1/p%65ts` becomes `/v1/pets`
 *   (RFC 3986, §6.2.2.2). The Router compares paths without decoding them.
 * - In a path that cannot be decoded, such as `/pets/%ff`, every `%` is escaped. The Router decodes
 *   parameters while it matches and would fail before it has found the route. The request would
 *   then not be counted, and the log would not name its route.
 */
export function normalizePath(req: Request): void {
  if (!req.url.includes('%')) return;
  const { path } = req;
  const normal = isDecodable(path)
    ? path.replaceAll(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi, decodeURIComponent)
    : path.replaceAll('%', '%25');
  req.url = normal + req.url.slice(path.length);
}

/**
 * Returns the 400 error for a path whose encoding is invalid, if the path belongs to an operation.
 */
export function malformedPath({ originalUrl, tsRestRoute }: Request): HttpError | undefined {
  if (!originalUrl.includes('%') || tsRestRoute === undefined) return undefined;
  return isDecodable(originalUrl.replace(/\?.*/s, ''))
    ? undefined
    : new HttpError('invalid_request', 'path: expected valid percent-encoding of UTF-8');
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
