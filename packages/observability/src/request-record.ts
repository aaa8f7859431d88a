import type { OperationMetadata, PlanName } from '@animal-store/contract';
import type { RequestOutcome } from '@animal-store/http-server';
import type { QuotaDecision } from '@animal-store/quotas';
import type { Request } from 'express';

/** The properties of an API key that logs, metrics and traces show. */
interface RecordedKey {
  readonly id: string;
  readonly account: string | null;
  readonly accountId: string | undefined;
  readonly plan: PlanName;
  /** The reason why requests with the key are refused; `undefined` if they are accepted. */
  readonly refusal: string | undefined;
}

/** A finished request of the public API for logs, metrics, traces and the usage statistics. */
export interface RequestRecord extends RequestOutcome {
  /** The first characters of the token in the request, even if the token is invalid. */
  readonly tokenPrefix: string | undefined;
  /**
   * The API key of the request. A refused key is included, because operators want to know which
   * suspended key still sends requests.
   */
  readonly key: RecordedKey | undefined;
  readonly decision: QuotaDecision | undefined;
  /** The metadata of the operation in the contract; `undefined` for an unknown path or method. */
  readonly operation: Partial<OperationMetadata> | undefined;
  readonly traceId: string | undefined;
}

/** The properties of a request that tracing uses. */
export type TracedRequest = Pick<
  Request,
  'headers' | 'baseUrl' | 'path' | 'protocol' | 'httpVersion' | 'ip'
>;

/**
 * The function that runs each request in a trace context, so that its SQL statements and Redis
 * commands belong to its trace.
 */
export interface RequestTracing {
  /**
   * Starts the span of a request (the entry of the request in a trace).
   *
   * @param begin the time when the request arrived, and how long it has waited since then.
   */
  start(
    request: TracedRequest,
    begin: Pick<Express.Locals, 'arrivedAt' | 'waits'>,
  ): {
    readonly traceId: string | undefined;
    run<Result>(answer: () => Result): Result;
    end(record: RequestRecord): void;
  };
}
