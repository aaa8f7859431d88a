import type { OperationMetadata } from '@animal-store/contract';
import type { QuotaDecision } from '@animal-store/quotas';
import type { Request } from 'express';
import type { RequestOutcome } from '../http/request-outcome.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { Caller } from './identify-caller.ts';

declare global {
  namespace Express {
    interface Locals {
      /** The decision of the quota that the request counts against; `undefined` if it does not count. */
      decision?: QuotaDecision;
    }
  }
}

/** What observers learn about a finished request of the public API. */
export interface RequestRecord extends RequestOutcome, Pick<Caller, 'tokenPrefix'> {
  /** The key of the request, also one that is refused: operators want to know which suspended key still calls. */
  readonly key: ApiKey | undefined;
  readonly decision: QuotaDecision | undefined;
  /** `undefined` for an unknown path or method. */
  readonly operation: Partial<OperationMetadata> | undefined;
  readonly traceId: string | undefined;
}

/** What a span tells of a request. */
export type TracedRequest = Pick<Request, 'headers' | 'baseUrl' | 'path' | 'protocol'>;

/** Runs each request in a context, so that its statements and Redis commands belong to its trace. */
export interface RequestTracing {
  /** @param arrivedAt by `systemClock.elapsed()`. */
  start(
    request: TracedRequest,
    arrivedAt: number,
  ): {
    readonly traceId: string | undefined;
    run<Result>(answer: () => Result): Result;
    end(record: RequestRecord): void;
  };
}
