import type { Request, RequestHandler, Response } from 'express';
import { HttpError } from './http-error.ts';
import './locals.ts';

/**
 * Gives a path that has percent-encoding the form that the Router needs.
 *
 * - Letters, digits, `-`, `.`, `_` and `~` are decoded: `/v1/p%65ts` is `/v1/pets` (RFC 3986, §6.2.2.2).
 *   The Router compares paths as they are sent.
 * - Every `%` of a path that cannot be decoded, such as `/pets/%ff`, is escaped, and that is noted. The
 *   Router decodes a parameter while it matches, and would fail before it has found the route. The request
 *   would then lack what its route does: it would be neither counted nor named in the log.
 */
export function normalizePath(req: Request, res: Response): void {
  if (!req.url.includes('%')) return;
  const { path } = req;
  if (!path.includes('%')) return;
  const isMalformed = !isDecodable(path);
  if (isMalformed) res.locals.isPathMalformed = true;
  const normal = isMalformed
    ? path.replaceAll('%', '%25')
    : path.replaceAll(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi, decodeURIComponent);
  req.url = normal + req.url.slice(path.length);
}

/** The 400 for a path of an operation that had to be escaped. */
export function malformedPath(req: Request, res: Response): HttpError | undefined {
  const isMalformed = res.locals.isPathMalformed === true && req.tsRestRoute !== undefined;
  return isMalformed
    ? new HttpError('invalid_request', 'path: expected valid percent-encoding of UTF-8')
    : undefined;
}

/** Refuses a path that had to be escaped, after the request was admitted and before its body is read. */
export const refuseMalformedPath: RequestHandler = function refuseEscapedPath(req, res, next) {
  next(malformedPath(req, res));
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
