import { beginRequest, outcomeOf } from '@animal-store/http-server';
import type { RequestRecord, RequestTracing } from '@animal-store/observability';
import type { RequestHandler } from 'express';
import { claimedCallerOf } from './identify-caller.ts';

export interface ObserverOptions {
  readonly tracing: RequestTracing | undefined;
  /** The functions for logs, metrics and usage, which are called once for each finished request. */
  readonly onEnd: readonly ((record: RequestRecord) => void)[];
}

/**
 * Creates the middleware that gives each request an id and a span (the entry of the request in a
 * trace). The middleware calls the observers when the request has ended, even if the client has
 * disconnected.
 */
export function observeRequests({ tracing, onEnd }: ObserverOptions): RequestHandler {
  return function observeRequest(req, res, next) {
    beginRequest(req, res);
    const traced = tracing?.start(req, res.locals);
    // The middleware listens to "close", because Node does not emit "finish" if the client has
    // disconnected.
    res.on('close', () => {
      const { caller = claimedCallerOf(req), decision } = res.locals;
      const { apiKey, refusedKey, tokenPrefix } = caller;
      const record = {
        ...outcomeOf(res),
        operation: req.tsRestRoute?.metadata,
        key: apiKey ?? refusedKey,
        tokenPrefix,
        decision,
        traceId: traced?.traceId,
      };
      for (const observe of onEnd) observe(record);
      traced?.end(record);
    });
    if (traced === undefined) next();
    else traced.run(next);
  };
}
