import { randomUUID } from 'node:crypto';
import { holdsToken } from '@animal-store/contract/token-form';
import { systemClock } from '@animal-store/runtime';
import type { Request, Response } from 'express';
import { normalizePath } from './path-encoding.ts';
import type { RequestWaits } from './request-locals.ts';

// Limited before it is trusted, because it is logged and sent back.
const wellFormedId = /^[\w.:-]{1,128}$/;

/** Notes the time at which a request arrived: it may wait for its turn before it begins. */
export function arriveNow(res: Response): void {
  const waits = { queueMs: 0, redisMs: 0, sqlMs: 0, bodyMs: 0 };
  res.locals = { arrivedAt: systemClock.elapsed(), requestId: '', headers: [], waits };
}

/** Notes how long a request has waited for something, by `systemClock.elapsed()` at the beginning of the wait. */
export function noteWait(
  { locals: { waits } }: { readonly locals: Express.Locals },
  name: keyof RequestWaits,
  beganAt: number,
): void {
  if (waits !== undefined) waits[name] += systemClock.elapsed() - beganAt;
}

/**
 * Gives a request its id and a path in the normal form, and its response the headers that every one has. On the
 * operators' listener, which has no turns, it also arrives now.
 */
export function beginRequest(req: Request, res: Response): void {
  const { locals } = res;
  locals.requestId = requestIdOf(req);
  locals.arrivedAt ??= systemClock.elapsed();
  locals.headers = [
    'X-Request-Id',
    locals.requestId,
    // Responses depend on the key and the time, so no cache may keep one (RFC 9111, §5.2.2.5).
    'Cache-Control',
    'no-store',
    // Against browsers that would run JSON as a script or a page.
    'X-Content-Type-Options',
    'nosniff',
  ];
  normalizePath(req);
}

/** How long ago a request arrived. */
export function ageMs({ locals }: Response): number {
  return systemClock.elapsed() - locals.arrivedAt;
}

/** Gives the id of a request: its `X-Request-Id` if that is well-formed, otherwise a new UUID. */
function requestIdOf(req: Request): string {
  const given = req.headers['x-request-id'];
  if (typeof given !== 'string' || !wellFormedId.test(given)) return randomUUID();
  // A client may have put its API key into the wrong header. It must not be logged.
  return holdsToken(given) ? randomUUID() : given;
}
