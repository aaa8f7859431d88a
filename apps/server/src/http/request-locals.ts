import type { OperationMetadata } from '@animal-store/contract';

/** What the steps of both listeners read of a route of a contract. */
export interface ContractRoute {
  readonly method: string;
  /** Such as `/pets/:petId`. */
  readonly path: string;
  /** The schema of its query, if it reads one. */
  readonly query?: unknown;
  /** The schema of its body, if it takes one. */
  readonly body?: unknown;
  /** All that differs by operation of the public API. */
  readonly metadata?: Partial<OperationMetadata>;
  /** The role that an operation of the admin API needs. */
  readonly role?: string;
}

/** What a request waited for, in milliseconds. */
export interface RequestWaits {
  /** Its turn, while the service was overloaded. */
  queueMs: number;
  /** Its quota: Redis, or the memory of this replica. */
  redisMs: number;
  /** Postgres, and other requests with which it shared a statement. */
  sqlMs: number;
  /** Its body. */
  bodyMs: number;
}

declare global {
  namespace Express {
    interface Request {
      /** The route of the contract, which ts-rest sets before the steps of the route run. */
      tsRestRoute?: ContractRoute;
    }

    /**
     * What the steps of both listeners note for each other. A room that notes more declares it beside its type:
     * `api/identify-caller.ts`, `api/request-record.ts`, `ops/admin-operation.ts`.
     */
    interface Locals {
      requestId: string;
      /** By `systemClock.elapsed()`: when it came, not when its turn came. */
      arrivedAt: number;
      /**
       * Headers of the response, as names and values in turn, each name once. `begin-request.ts` begins the list,
       * and only `note-headers.ts` adds to it.
       */
      headers: string[];
      /** Where the time of the request went; `undefined` on the operators' listener. */
      waits?: RequestWaits;
      /** The code of the Error body, if the request failed. */
      errorCode?: string | undefined;
      /** What was tried in vain, if the request failed because of a store. */
      attempts?: string | undefined;
      /** The JSON body as it was sent, for messages that show a part of it. */
      bodyText?: string | undefined;
      /** Called once the response is complete, which may be long before it is sent. */
      onAnswered?: (() => void) | undefined;
    }
  }
}
