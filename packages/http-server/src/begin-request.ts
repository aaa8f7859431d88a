import { randomUUID } from 'node:crypto';
import { holdsToken } from '@animal-store/contract/token-form';
import { systemClock } from '@animal-store/runtime';
import type { Request, Response } from 'express';
import { normalizePath } from './path-encoding.ts';
import './request-locals.ts';

// Matches a request id that is safe to log and to send back. The pattern limits the length and the
// characters of the id.
const wellFormedId = /^[\w.:-]{1,128}$/;

/**
 * Gives a request its id and a normalized path, and gives its response the headers that all
 * responses have. On the ops listener, which has no load shedder, the function also records
 * when the request arrived.
 */
export function beginRequest(req: Request, res: Response): void {
  const { locals } = res;
  locals.requestId = requestIdOf(req);
  locals.arrivedAt ??= systemClock.elapsed();
  locals.headers = [
    'X-Request-Id',
    locals.requestId,
    // Responses depend on the API key and the time, so caches must not store any response (RFC
    // 9111, §5.2.2.5).
    'Cache-Control',
    'no-store',
    // `nosniff` prevents browsers from running JSON as a script or showing it as a page.
    'X-Content-Type-Options',
    'nosniff',
  ];
  normalizePath(req);
}

/**
 * Returns the id of a request: the value of `X-Request-Id` if it is well-formed, otherwise a new
 * UUID.
 */
function requestIdOf(req: Request): string {
  const received = req.headers['x-request-id'];
  if (typeof received !== 'string' || !wellFormedId.test(received)) return randomUUID();
  // If the header contains an API key by mistake, the request gets a new id. Otherwise the key
  // would be logged as the id.
  return holdsToken(received) ? randomUUID() : received;
}
