import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaDecision } from '../quotas/quotas.ts';

/**
 * What may be told of a request that is over. Neither its URL, its header values nor its body are
 * here, so that no observer can repeat what a caller put there.
 */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** As `/v1/pets/:petId`; `undefined` for a path that does not exist. */
  readonly route: string | undefined;
  /** 499 if the caller was gone before there was an answer, as nginx has it. */
  readonly status: number;
  /** Whether the caller was gone before the whole answer was sent. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly apiKey: ApiKey | undefined;
  /** The first characters of the token that was sent, valid or not. */
  readonly tokenPrefix: string | undefined;
  readonly decision: QuotaDecision | undefined;
  readonly errorCode: string | undefined;
}

/** Gives each request a context that what is done for it belongs to. */
export interface RequestTracing {
  start(headers: IncomingHttpHeaders): {
    run(next: () => void): void;
    end(record: RequestRecord): void;
  };
}

const clientClosedRequest = 499;

/** Tells of each request once it is over, however it ended. */
export function observeRequests(options: {
  onEnd: (record: RequestRecord) => void;
  tracing: RequestTracing | undefined;
}): RequestHandler {
  const { onEnd, tracing } = options;
  return function observeRequest(req, res, next) {
    const startedAt = performance.now();
    const traced = tracing?.start(req.headers);
    // Not "finish": that never comes when the caller is gone.
    res.once('close', () => {
      const record = recordOf(req, res, performance.now() - startedAt);
      onEnd(record);
      traced?.end(record);
    });
    if (traced === undefined) next();
    else traced.run(next);
  };
}

function recordOf(req: Request, res: Response, durationMs: number): RequestRecord {
  const { requestId, route, apiKey, tokenPrefix, decision, errorCode } = res.locals;
  return {
    requestId,
    method: req.method,
    route,
    status: res.headersSent ? res.statusCode : clientClosedRequest,
    aborted: !res.writableFinished,
    durationMs,
    apiKey,
    tokenPrefix,
    decision,
    errorCode,
  };
}
