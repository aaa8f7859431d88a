import type { Response } from 'express';
import { ageMs } from './begin-request.ts';
import type { RequestWaits } from './request-locals.ts';

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
  /** What it waited for; `undefined` on the operators' listener. */
  readonly waits: RequestWaits | undefined;
  /** What was tried in vain, as "reads ENOTFOUND, requests ECONNREFUSED": names and codes of ours. */
  readonly attempts: string | undefined;
}

const clientClosedRequest = 499;

/** What became of a request whose response is closed. */
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

/** Files whose paths change with their content share one label. */
function labelOf(path: string): string {
  return path.replace(/^\/(docs|console)\/.*/, '/$1/*');
}
