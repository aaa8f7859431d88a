import type { IncomingHttpHeaders } from 'node:http';
import type { RequestOutcome } from '../http/track-request.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';

/** What the public API learns about a request. */
interface Caller {
  /** The first characters of the token in the request, valid or not. */
  tokenPrefix: string | undefined;
  /** The key of the request, if its token is valid. */
  apiKey: ApiKey | undefined;
  /** The quota decision about the request. */
  decision: QuotaResult | undefined;
}

declare global {
  namespace Express {
    interface Locals extends Caller {}
  }
}

/** What observers learn about a finished request of the public API. */
export interface RequestRecord extends RequestOutcome, Readonly<Caller> {
  readonly operation: string | undefined;
}

/** Runs each request in a context, so that its statements and Redis commands belong to its trace. */
export interface RequestTracing {
  start(headers: IncomingHttpHeaders): {
    run<Result>(answer: () => Result): Result;
    end(record: RequestRecord): void;
  };
}
