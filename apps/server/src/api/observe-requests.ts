import type { RequestHandler } from 'express';
import { trackRequest } from '../http/track-request.ts';
import type { AppOptions } from './app.ts';
import { claimedBy } from './caller.ts';

/** Creates the first step of a request: it tells observers of it once it has finished. */
export function observeRequests({
  tracing,
  onEnd,
  usage,
}: Pick<AppOptions, 'tracing' | 'onEnd' | 'usage'>): RequestHandler {
  return function observeRequest(req, res, next) {
    const traced = tracing?.start(req);
    trackRequest(req, res, (outcome) => {
      const { caller = claimedBy(req), decision, isUnobserved } = res.locals;
      if (isUnobserved) return;
      const { apiKey, refusedKey, tokenPrefix } = caller;
      const record = {
        ...outcome,
        operation: req.tsRestRoute?.metadata,
        apiKey,
        refusedKey,
        tokenPrefix,
        decision,
        traceId: traced?.traceId,
      };
      for (const tell of onEnd) tell(record);
      usage.count(record);
      traced?.end(record);
    });
    if (traced === undefined) next();
    else traced.run(next);
  };
}
