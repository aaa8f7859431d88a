import type { OperationMetadata } from '@animal-store/contract';
import type { QuotaDecision } from '@animal-store/quotas';
import type { Request } from 'express';
import type { RequestOutcome } from '../http/request-outcome.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { Caller } from './identify-caller.ts';

declare global {
  namespace Express {
    interface Locals {
      /**
       * The decision of the quota that the request counts against; `undefined` if the request is
       * not counted.
       */
      decision?: QuotaDecision;
    }
  }
}

/** A finished request of the public API, as observers see it. */
export interface RequestRecord extends RequestOutcome, Pick<Caller, 'tokenPrefix'> {
  /**
   * The key of the request, including a refused one: operators want to know which suspended key
   * still sends requests.
   */
  readonly key: ApiKey | undefined;
  readonly decision: QuotaDecision | undefined;
  /** `undefined` for an unknown path or method. */
  readonly operation: Partial<OperationMetadata> | undefined;
  readonly traceId: string | undefined;
}

/** The parts of a request that tracing reads. */
export type TracedRequest = Pick<
  Request,
  'headers' | 'baseUrl' | 'path' | 'protocol' | 'httpVersion' | 'ip'
>;

/**
 * Runs each request in a trace context, so that its database statements and Redis commands belong
 * to its trace.
 */
export interface RequestTracing {
  /** @param begin when the request arrived, and how long it has waited since. */
  start(
    request: TracedRequest,
    begin: Pick<Express.Locals, 'arrivedAt' | 'waits'>,
  ): {
    readonly traceId: string | undefined;
    run<Result>(answer: () => Result): Result;
    end(record: RequestRecord): void;
  };
}
