import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
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
    run<Result>(answer: () => Result): Result;
    end(record: RequestRecord): void;
  };
}

/** Creates the step that reports each finished request to the log, the metrics and the trace. */
export function createObserver(options: {
  onEnd: (record: RequestRecord) => void;
  tracing: RequestTracing | undefined;
}) {
  const { onEnd, tracing } = options;
  return function observe<Result>(req: Request, res: Response, answer: () => Result): Result {
    const traced = tracing?.start(req.headers);
    onceOver(req, res, (outcome) => {
      const { operation, apiKey, tokenPrefix, decision } = res.locals;
      const record = { ...outcome, operation, apiKey, tokenPrefix, decision };
      onEnd(record);
      traced?.end(record);
    });
    return traced === undefined ? answer() : traced.run(answer);
  };
}
