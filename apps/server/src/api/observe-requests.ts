import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { onceOver, type RequestOutcome } from '../http/request-outcome.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';
import { outcomeCode, toUsageOperation, type UsedRequest } from '../usage/usage-entry.ts';

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

/** Creates the step that reports each finished request: to the log, the metrics, the ledger and the trace. */
export function createObserver(options: {
  onEnd: readonly ((record: RequestRecord) => void)[];
  countUsage: (request: UsedRequest) => void;
  /** Counts live traffic. @param outcome its place in the list of outcomes. */
  countTraffic: (outcome: number, durationMs: number) => void;
  tracing: RequestTracing | undefined;
}) {
  const { onEnd, countUsage, countTraffic, tracing } = options;
  return function observe<Result>(req: Request, res: Response, answer: () => Result): Result {
    const traced = tracing?.start(req.headers);
    onceOver(req, res, (outcome) => {
      const { operation, apiKey, tokenPrefix, decision } = res.locals;
      const record = { ...outcome, operation, apiKey, tokenPrefix, decision };
      for (const tell of onEnd) tell(record);
      const used = toUsedRequest(record);
      if (used !== undefined) countUsage(used);
      const result = used?.outcome ?? refusalOf(record);
      if (result !== undefined) countTraffic(outcomeCode(result), record.durationMs);
      traced?.end(record);
    });
    return traced === undefined ? answer() : traced.run(answer);
  };
}

/**
 * What the usage ledger counts of a request; `undefined` if nothing. It counts requests that a quota
 * has decided, or that have a valid key. So it counts neither CORS preflights, nor requests refused
 * because of overload, nor those whose key could not be looked up: nobody knows whose they are.
 */
function toUsedRequest(record: RequestRecord): UsedRequest | undefined {
  const { apiKey: key, decision, operation } = record;
  if (key === undefined && decision === undefined) return undefined;
  return {
    key,
    // Without a key, anybody can call anything: it says nothing about who uses an operation.
    operation: key === undefined ? 'none' : toUsageOperation(operation),
    outcome: outcomeOf(record),
    at: decision?.decidedAtMs ?? Date.now(),
  };
}

/** What was refused because the service could not answer has no place in the ledger: nobody knows whose it is. */
function refusalOf({ errorCode }: RequestRecord): UsedRequest['outcome'] | undefined {
  return errorCode === 'service_unavailable' ? 'server_error' : undefined;
}

function outcomeOf({ errorCode, status }: RequestRecord): UsedRequest['outcome'] {
  if (errorCode === 'key_temporarily_banned') return 'banned';
  if (status === 429) return 'denied';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'ok';
}
