import type { Response } from 'express';
import type { RequestWaits } from './request-locals.ts';
import { ageMs, endWait } from './request-timing.ts';

/**
 * The outcome of a finished request for logs, metrics and traces. The outcome contains no URL, body
 * or header values, so nothing that a client sent is repeated there. The only exception is a
 * well-formed `X-Request-Id` that contains no API key.
 */
export interface RequestOutcome {
  readonly requestId: string;
  readonly method: string;
  /** The path of the route, such as `/v1/pets/:petId`; `undefined` for an unknown path. */
  readonly route: string | undefined;
  /**
   * The status of the response. The status is 499, as in nginx, if the client disconnected before
   * the response began.
   */
  readonly status: number;
  /** Whether the client disconnected before it had received the whole response. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly errorCode: string | undefined;
  /**
   * The times that the request waited for Redis, for Postgres and so on; `undefined` on the ops
   * listener.
   */
  readonly waits: RequestWaits | undefined;
  /**
   * The failed attempts to use Postgres or Redis, such as "reads ENOTFOUND, requests ECONNREFUSED".
   * The text contains only names of connection pools and error codes.
   */
  readonly attempts: string | undefined;
}

const clientClosedRequest = 499;

/** Returns the outcome of a request after its response has been closed. */
export function outcomeOf(res: Response): RequestOutcome {
  const { locals, req } = res;
  // If the client has disconnected, the request may still wait, for example for SQL.
  endWait(res);
  return {
    requestId: locals.requestId,
    method: req.method,
    route: req.route && labelOf(req.baseUrl + req.route.path),
    status: res.headersSent ? res.statusCode : clientClosedRequest,
    aborted: !res.writableFinished,
    durationMs: ageMs(res),
    errorCode: locals.errorCode,
    waits: locals.waits,
    attempts: locals.attempts,
  };
}

/**
 * Returns the label of a path in logs and metrics. All files in `/docs` share one label, and all
 * files in `/console` share another label, because some of their names change with each version.
 */
function labelOf(path: string): string {
  return path.replace(/^\/(docs|console)\/.*/, '/$1/*');
}
