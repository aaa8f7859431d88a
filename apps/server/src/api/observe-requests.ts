import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { onceOver, type RequestOutcome } from '../http/request-outcome.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';

/** What may be told of a caller's request that is over. */
export interface RequestRecord extends RequestOutcome {
  readonly apiKey: ApiKey | undefined;
  /** The first characters of the token that was sent, valid or not. */
  readonly tokenPrefix: string | undefined;
  readonly decision: QuotaResult | undefined;
}

/** Gives each request a context that what is done for it belongs to. */
export interface RequestTracing {
  start(headers: IncomingHttpHeaders): {
    run(next: () => void): void;
    end(record: RequestRecord): void;
  };
}

/** Tells of each request once it is over, however it ended. */
export function observeRequests(options: {
  onEnd: (record: RequestRecord) => void;
  tracing: RequestTracing | undefined;
}): RequestHandler {
  const { onEnd, tracing } = options;
  return function observeRequest(req, res, next) {
    const traced = tracing?.start(req.headers);
    onceOver(req, res, (outcome) => {
      const { apiKey, tokenPrefix, decision } = res.locals;
      const record = { ...outcome, apiKey, tokenPrefix, decision };
      onEnd(record);
      traced?.end(record);
    });
    if (traced === undefined) next();
    else traced.run(next);
  };
}
