import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { holdsToken } from '../hide-tokens.ts';

// Bounded before it is believed: it goes into logs and back out as a header.
const wellFormed = /^[\w.:-]{1,128}$/;

/** Names the request: by the caller's `X-Request-Id` if that is well-formed, else by a new UUID. */
export function requestId(): RequestHandler {
  return function nameRequest(req, res, next) {
    const given = req.get('X-Request-Id');
    const id =
      // A key that was put into the wrong header must not go into the logs from there.
      given !== undefined && wellFormed.test(given) && !holdsToken(given) ? given : randomUUID();
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    next();
  };
}
