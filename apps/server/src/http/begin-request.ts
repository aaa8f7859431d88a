import { randomUUID } from 'node:crypto';
import { holdsToken } from '@animal-store/contract/token-form';
import { systemClock } from '@animal-store/runtime';
import type { Request, Response } from 'express';
import { normalizePath } from './path-encoding.ts';
import type { RequestWaits } from './request-locals.ts';

// The length and the characters are limited, because the id is logged and sent back.
const wellFormedId = /^[\w.:-]{1,128}$/;

const noHeaders: string[] = [];

// These are classes because such objects may wait for long: V8 allocates object literals in its old
// space once many of them have lived long, and keeps all that they refer to until a full collection.

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
 * Records when a request arrived. The request may then wait for its turn.
 *
 * @param begin continues with the request when it is its turn.
 */
export function arriveNow(res: Response, begin: () => void): void {
  res.locals = new ArrivedLocals(begin);
}

/** Records how long a request has waited, since `beganAt` by `systemClock.elapsed()`. */
export function noteWait(
  { locals: { waits } }: { readonly locals: Express.Locals },
  name: keyof RequestWaits,
  beganAt: number,
): void {
  if (waits !== undefined) waits[name] += systemClock.elapsed() - beganAt;
}

/**
 * Gives a request its id and a normalized path, and its response the headers that all responses
 * have. On the operators' listener, where requests do not wait for a turn, it also records the
 * arrival.
 */
export function beginRequest(req: Request, res: Response): void {
  const { locals } = res;
  locals.requestId = requestIdOf(req);
  locals.arrivedAt ??= systemClock.elapsed();
  locals.headers = [
    'X-Request-Id',
    locals.requestId,
    // Responses depend on the key and the time, so caches must not store them (RFC 9111, §5.2.2.5).
    'Cache-Control',
    'no-store',
    // This header keeps browsers from running JSON as a script or a page.
    'X-Content-Type-Options',
    'nosniff',
  ];
  normalizePath(req);
}

/** Returns the milliseconds since a request arrived. */
export function ageMs({ locals }: Response): number {
  return systemClock.elapsed() - locals.arrivedAt;
}

/** Returns the id of a request: its `X-Request-Id` if that is well-formed, otherwise a new UUID. */
function requestIdOf(req: Request): string {
  const given = req.headers['x-request-id'];
  if (typeof given !== 'string' || !wellFormedId.test(given)) return randomUUID();
  // A client may have put its API key into the wrong header. The key must not be logged.
  return holdsToken(given) ? randomUUID() : given;
}
