import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { holdsToken } from '../shared/hide-tokens.ts';

// Limited before it is trusted, because it is logged and sent back.
const wellFormedId = /^[\w.:-]{1,128}$/;

/** Sets the headers of every response, and notes the id of the request. */
export function setCommonHeaders(req: Request, res: Response): void {
  const requestId = requestIdOf(req);
  res.locals.requestId = requestId;
  res.setHeader('X-Request-Id', requestId);
  // Responses depend on the key and the time, so no cache may keep one (RFC 9111, §5.2.2.5).
  res.setHeader('Cache-Control', 'no-store');
  // Against browsers that would run JSON as a script or a page.
  res.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Gives the id of a request: its `X-Request-Id` if that is well-formed, otherwise a new UUID. */
function requestIdOf(req: Request): string {
  const given = req.headers['x-request-id'];
  if (typeof given !== 'string' || !wellFormedId.test(given)) return randomUUID();
  // A client may have put its API key into the wrong header. It must not be logged.
  return holdsToken(given) ? randomUUID() : given;
}
