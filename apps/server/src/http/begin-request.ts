import { randomUUID } from 'node:crypto';
import { holdsToken } from '@animal-store/contract/token-form';
import { systemClock } from '@animal-store/runtime';
import type { Request, Response } from 'express';
import { normalizePath } from './path-encoding.ts';
import type { RequestWaits } from './request-locals.ts';

// Matches a request id that is safe to log and to send back: the length and the characters of the
// id are limited.
const wellFormedId = /^[\w.:-]{1,128}$/;

const noHeaders: string[] = [];

// A request may wait for a long time, so its values are instances of classes instead of object
// literals. Once many object literals have lived long, V8 allocates such literals in its old space.
// The literals, and everything that they refer to, then stay in memory until a full garbage
// collection.

class Waits implements RequestWaits {
  queueMs = 0;
  redisMs = 0;
  sqlMs = 0;
  bodyMs = 0;
}

class ArrivedLocals {
  readonly arrivedAt = systemClock.elapsed();
  readonly waits = new Waits();
  readonly begin: () => void;
  requestId = '';
  headers = noHeaders;

  constructor(begin: () => void) {
    this.begin = begin;
  }
}

/**
 * Records when a request arrived. The function is called before the load shedder lets the request
 * wait.
 *
 * @param begin a function that continues with the request when the load shedder starts it.
 */
export function arriveNow(res: Response, begin: () => void): void {
  res.locals = new ArrivedLocals(begin);
}

/**
 * Records how long a request has waited for one thing, such as SQL. The wait began at `beganAt`, a
 * time of `systemClock.elapsed()`.
 */
export function noteWait(
  { locals: { waits } }: { readonly locals: Express.Locals },
  name: keyof RequestWaits,
  beganAt: number,
): void {
  if (waits !== undefined) waits[name] += systemClock.elapsed() - beganAt;
}

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

/** Returns how many milliseconds ago a request arrived. */
export function ageMs({ locals }: Response): number {
  return systemClock.elapsed() - locals.arrivedAt;
}

/**
 * Returns the id of a request: the value of `X-Request-Id` if it is well-formed, otherwise a new
 * UUID.
 */
function requestIdOf(req: Request): string {
  const given = req.headers['x-request-id'];
  if (typeof given !== 'string' || !wellFormedId.test(given)) return randomUUID();
  // A client may have put its API key into the wrong header. The key must not be logged.
  return holdsToken(given) ? randomUUID() : given;
}
