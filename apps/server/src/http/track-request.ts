import { randomUUID } from 'node:crypto';
import { holdsToken } from '@animal-store/contract/token-form';
import type { Request, Response } from 'express';
import { systemClock } from '../shared/clock.ts';
import './locals.ts';
import { normalizePath } from './malformed-path.ts';

/**
 * What observers learn about a finished request. The URL, the body and the values of headers are left
 * out, so that no log, metric or trace can repeat what a client put there. Only its `X-Request-Id` may be the
 * client's own, if it is well-formed and no token.
 */
export interface RequestOutcome {
  readonly requestId: string;
  readonly method: string;
  /** Such as `/v1/pets/:petId`; `undefined` for an unknown path. */
  readonly route: string | undefined;
  /** 499, as in nginx, if the client disconnected before the response. */
  readonly status: number;
  /** Whether the client disconnected before it had the whole response. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly errorCode: string | undefined;
}

const clientClosedRequest = 499;

// Limited before it is trusted, because it is logged and sent back.
const wellFormedId = /^[\w.:-]{1,128}$/;

/** How long ago a request arrived. */
export function ageMs({ locals }: Response): number {
  return systemClock.elapsed() - locals.arrivedAt;
}

/**
 * Gives a request its id, and its response the headers that every one has. Calls `onEnd` once the request has
 * finished, however it ended.
 */
export function trackRequest(
  req: Request,
  res: Response,
  onEnd: (outcome: RequestOutcome) => void,
): void {
  const { locals } = res;
  const requestId = requestIdOf(req);
  locals.requestId = requestId;
  locals.arrivedAt = systemClock.elapsed();
  locals.headers = [
    'X-Request-Id',
    requestId,
    // Responses depend on the key and the time, so no cache may keep one (RFC 9111, §5.2.2.5).
    'Cache-Control',
    'no-store',
    // Against browsers that would run JSON as a script or a page.
    'X-Content-Type-Options',
    'nosniff',
  ];
  normalizePath(req);
  // "finish" is not emitted if the client has disconnected.
  res.on('close', () => {
    onEnd({
      requestId,
      method: req.method,
      route: req.route && labelOf(req.baseUrl + req.route.path),
      status: res.headersSent ? res.statusCode : clientClosedRequest,
      aborted: !res.writableFinished,
      durationMs: ageMs(res),
      errorCode: locals.errorCode,
    });
  });
}

/** Files whose paths change with their content share one label. */
function labelOf(path: string): string {
  return path.replace(/^\/(docs|console)\/.*/, '/$1/*');
}

/** Gives the id of a request: its `X-Request-Id` if that is well-formed, otherwise a new UUID. */
function requestIdOf(req: Request): string {
  const given = req.headers['x-request-id'];
  if (typeof given !== 'string' || !wellFormedId.test(given)) return randomUUID();
  // A client may have put its API key into the wrong header. It must not be logged.
  return holdsToken(given) ? randomUUID() : given;
}
