import type { RequestHandler } from 'express';
import { requestIdOf } from './request-id.ts';

/** Sets the headers of every response, and notes the id of the request. */
export function commonHeaders(): RequestHandler {
  return function setCommonHeaders(req, res, next) {
    const requestId = requestIdOf(req);
    res.locals.requestId = requestId;
    res.setHeader('X-Request-Id', requestId);
    // Responses depend on the key and the time, so no cache may keep one (RFC 9111, §5.2.2.5).
    res.setHeader('Cache-Control', 'no-store');
    // Against browsers that would run JSON as a script or a page.
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  };
}
