import type { Request, Response } from 'express';
import './locals.ts';

/**
 * What may be told of any request that is over. Neither its URL, its header values nor its body are
 * here, so that no observer can repeat what a caller put there.
 */
export interface RequestOutcome {
  readonly requestId: string;
  readonly method: string;
  /** As `/v1/pets/:petId`; `undefined` for a path that does not exist. */
  readonly route: string | undefined;
  /** 499 if the caller was gone before there was an answer, as nginx has it. */
  readonly status: number;
  /** Whether the caller was gone before the whole answer was sent. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly errorCode: string | undefined;
}

const clientClosedRequest = 499;

/** Tells of a request once it is over, however it ended. */
export function onceOver(
  req: Request,
  res: Response,
  tell: (outcome: RequestOutcome) => void,
): void {
  const startedAt = performance.now();
  // Not "finish": that never comes when the caller is gone.
  res.once('close', () => {
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
