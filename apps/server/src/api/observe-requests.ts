import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { onceOver, type RequestOutcome } from '../http/request-outcome.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';

/** What observers learn about a finished request of the public API. */
export interface RequestRecord extends RequestOutcome {
  readonly operation: string | undefined;
  readonly apiKey: ApiKey | undefined;
  /** The first characters of the token in the request, valid or not. */
  readonly tokenPrefix: string | undefined;
  readonly decision: QuotaResult | undefined;
}

/** Runs each request in a context, so that its statements and Redis commands belong to its trace. */
export interface RequestTracing {
  start(headers: IncomingHttpHeaders): {
    run(next: () => void): void;
    end(record: RequestRecord): void;
  };
}

/** Reports each finished request to the log, the metrics and the trace. */
export function observeRequests(options: {
  onEnd: (record: RequestRecord) => void;
  tracing: RequestTracing | undefined;
}): RequestHandler {
  const { onEnd, tracing } = options;
  return function observeRequest(req, res, next) {
    const traced = tracing?.start(req.headers);
    onceOver(req, res, (outcome) => {
      const { operation, apiKey, tokenPrefix, decision } = res.locals;
      const record = { ...outcome, operation, apiKey, tokenPrefix, decision };
      onEnd(record);
      traced?.end(record);
    });
    if (traced === undefined) next();
    else traced.run(next);
  };
}
