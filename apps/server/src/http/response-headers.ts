import type { RequestHandler } from 'express';

/** Headers that every answer carries, whatever it says. */
export function responseHeaders(): RequestHandler {
  return function setResponseHeaders(_req, res, next) {
    // Answers depend on the key and on the moment: no cache may keep one (RFC 9111, §5.2.2.5).
    res.setHeader('Cache-Control', 'no-store');
    // Against browsers that would run JSON as a script or a page.
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  };
}
