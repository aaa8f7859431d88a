import type { Request, Response } from 'express';
import './locals.ts';

/**
 * What observers learn about a finished request. The URL, the values of headers and the body are left
 * out, so that no log, metric or trace can repeat what a client put there.
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

/** Calls `tell` once a request has finished, however it ended. */
export function onceOver(
  req: Request,
  res: Response,
  tell: (outcome: RequestOutcome) => void,
): void {
  const startedAt = performance.now();
  // "finish" is not emitted if the client has disconnected.
  res.on('close', () => {
    const { requestId, path, errorCode } = res.locals;
    tell({
      requestId,
      method: req.method,
      route: path?.label,
      status: res.headersSent ? res.statusCode : clientClosedRequest,
      aborted: !res.writableFinished,
      durationMs: performance.now() - startedAt,
      errorCode,
    });
  });
}
