import type { RequestHandler } from 'express';
import { trackRequest } from '../http/track-request.ts';
import type { AppOptions } from './app.ts';
import type { Caller, RequestRecord } from './request-record.ts';

/** Of a request that failed before its caller was known. */
const nobody: Caller = {
  tokenPrefix: undefined,
  apiKey: undefined,
  suspendedKey: undefined,
  decision: undefined,
};

/** Creates the first step of a request: it tells observers of it once it has finished. */
export function observeRequests({
  tracing,
  onEnd,
  countUsage,
  countTraffic,
}: Pick<AppOptions, 'tracing' | 'onEnd' | 'countUsage' | 'countTraffic'>): RequestHandler {
  function tellObservers(record: RequestRecord): void {
    for (const tell of onEnd) tell(record);
    // Live traffic has what was refused before a quota decided, too. The ledger has not.
    const isRefused = record.errorCode === 'service_unavailable';
    const outcome = countUsage(record) ?? (isRefused ? 'server_error' : undefined);
    if (outcome !== undefined) countTraffic(outcome, record.durationMs);
  }

  return function observeRequest(req, res, next) {
    const traced = tracing?.start(req);
    trackRequest(req, res, (outcome) => {
      const { caller = nobody, isUnobserved } = res.locals;
      if (isUnobserved) return;
      const { apiKey, suspendedKey, tokenPrefix, decision } = caller;
      const record = {
        ...outcome,
        operation: req.tsRestRoute?.metadata,
        apiKey,
        suspendedKey,
        tokenPrefix,
        decision,
        traceId: traced?.traceId,
      };
      tellObservers(record);
      traced?.end(record);
    });
    if (traced === undefined) next();
    else traced.run(next);
  };
}
