import { apiVersion, formatLinks } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError } from '../http/api-error.ts';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import { deprecationOf, findPath } from './operations.ts';

/** Notes which operation a request asks for, so that every answer to it can say what it must. */
export function findOperation(baseUrl: string): RequestHandler {
  return function noteOperation(req, res, next) {
    const path = findPath(req.path);
    const operation = path?.methods.get(req.method);
    res.locals.operation = operation;
    if (path !== undefined) res.locals.route = `/${apiVersion}${path.template}`;
    const deprecation = deprecationOf(operation);
    if (deprecation !== undefined) {
      // RFC 9745, §2: a structured date, in seconds. RFC 8594, §3: an HTTP date.
      res.setHeader('Deprecation', `@${deprecation.deprecatedAt.getTime() / 1000}`);
      res.setHeader('Sunset', deprecation.sunsetAt.toUTCString());
      res.setHeader(
        'Link',
        formatLinks([
          { url: `${new URL('/docs', baseUrl)}#deprecation`, rel: 'deprecation' },
          { url: `${baseUrl}${deprecation.successor.path}`, rel: 'successor-version' },
        ]),
      );
    }
    next();
  };
}

/** Refuses paths that do not exist, and methods that a path does not have. */
export function requireOperation(): RequestHandler {
  return function refuseUnknown(req, res, next) {
    if (res.locals.operation !== undefined) return next();
    const path = findPath(req.path);
    if (path === undefined) throw new ApiError('not_found', 'There is no such path.');
    throw methodNotAllowed(path.methods.keys());
  };
}
