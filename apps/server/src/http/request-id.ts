import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { holdsToken } from '../hide-tokens.ts';

// Limited before it is trusted, because it is logged and sent back.
const wellFormed = /^[\w.:-]{1,128}$/;

/** Gives the id of a request: its `X-Request-Id` if that is well-formed, otherwise a new UUID. */
export function requestIdOf(req: Request): string {
  const given = req.headers['x-request-id'];
  if (typeof given !== 'string' || !wellFormed.test(given)) return randomUUID();
  // A client may have put its API key into the wrong header. It must not be logged.
  return holdsToken(given) ? randomUUID() : given;
}
