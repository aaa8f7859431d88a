import type { Response } from 'express';
import { ageMs } from './begin-request.ts';
import type { RequestWaits } from './request-locals.ts';

/**
 * The outcome of a finished request, as observers see it. It contains no URL, body or header
 * values, so that no log, metric or trace can repeat what a client put there. Only a well-formed
 * `X-Request-Id` without a token may come from the client.
 */
export interface RequestOutcome {
  readonly requestId: string;
  readonly method: string;
  /** The path of the route, such as `/v1/pets/:petId`; `undefined` for an unknown path. */
  readonly route: string | undefined;
  /**
   * The status of the response; 499, as in nginx, if the client disconnected before the response.
   */
  readonly status: number;
  /** Whether the client disconnected before it had received the whole response. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly errorCode: string | undefined;
  /** What the request waited for; `undefined` on the operators' listener. */
  readonly waits: RequestWaits | undefined;
  /**
   * The failed attempts, such as "reads ENOTFOUND, requests ECONNREFUSED". They contain only names
   * and codes of this service.
   */
  readonly attempts: string | undefined;
}

const clientClosedRequest = 499;

/** Describes the outcome of a request whose response is closed. */
export function outcomeOf(res: Response): RequestOutcome {
  const { locals, req } = res;
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

/** Returns the label of a path. Files whose paths change with their content share one label. */
function labelOf(path: string): string {
  return path.replace(/^\/(docs|console)\/.*/, '/$1/*');
}
