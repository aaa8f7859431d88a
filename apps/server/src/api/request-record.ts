import type { OperationMetadata } from '@animal-store/contract';
import type { Request } from 'express';
import type { RequestOutcome } from '../http/track-request.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaDecision } from '../quotas/quota-decision.ts';

/** What the admission learns about a request, for its handler and for observers. */
export interface Caller {
  /** The first characters of the token in the request, valid or not. */
  tokenPrefix: string | undefined;
  /** The key of the request, if its token is valid and it is not refused. */
  apiKey: ApiKey | undefined;
  /** The key of the request, if it is refused: suspended or ended. It counts against the network, as one without a key. */
  refusedKey: ApiKey | undefined;
  /** The quota decision about the request. */
  decision: QuotaDecision | undefined;
}

declare global {
  namespace Express {
    interface Locals {
      /** `undefined` until the admission has asked who it is. */
      caller?: Caller | undefined;
      /** Whether observers are not told of the request. */
      isUnobserved?: true | undefined;
    }
  }
}

/** What observers learn about a finished request of the public API. */
export interface RequestRecord extends RequestOutcome, Readonly<Caller> {
  /** `undefined` for an unknown path or method. */
  readonly operation: Partial<OperationMetadata> | undefined;
  /** The id of its trace, if that is recorded. */
  readonly traceId: string | undefined;
}

/** What a span tells of a request. */
export type TracedRequest = Pick<Request, 'headers' | 'baseUrl' | 'path' | 'protocol'>;

/** Runs each request in a context, so that its statements and Redis commands belong to its trace. */
export interface RequestTracing {
  start(request: TracedRequest): {
    readonly traceId: string | undefined;
    run<Result>(answer: () => Result): Result;
    end(record: RequestRecord): void;
  };
}
