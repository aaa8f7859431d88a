import type { OperationMetadata } from '@animal-store/contract';

/** The properties of a contract's route that the steps of both listeners read. */
export interface ContractRoute {
  readonly method: string;
  /** The path, such as `/pets/:petId`. */
  readonly path: string;
  /** The schema of the query, if the operation reads one. */
  readonly query?: unknown;
  /** The schema of the body, if the operation takes one. */
  readonly body?: unknown;
  /** Everything else that differs between operations of the public API. */
  readonly metadata?: Partial<OperationMetadata>;
  /** The role that an operation of the admin API requires. */
  readonly role?: string;
}

/** How long a request waited, in milliseconds. */
export interface RequestWaits {
  /** The wait for its turn during an overload. */
  queueMs: number;
  /** The wait for the quota decision, from Redis or from this replica's memory. */
  redisMs: number;
  /** The wait for Postgres, including other requests that share the statement. */
  sqlMs: number;
  /** The wait for the body. */
  bodyMs: number;
}

declare global {
  namespace Express {
    interface Request {
      /** The route of the contract, which ts-rest sets before the steps of the route run. */
      tsRestRoute?: ContractRoute;
    }

    /**
     * The values that the steps of both listeners share. A room with further values declares them
     * beside their types: `api/identify-caller.ts`, `api/request-record.ts`,
     * `ops/admin-operation.ts`.
     */
    interface Locals {
      requestId: string;
      /**
       * When the request arrived, by `systemClock.elapsed()`. The wait for its turn comes after
       * this time.
       */
      arrivedAt: number;
      /**
       * Headers of the response, as names and values in turn, with each name once.
       * `begin-request.ts` creates the list, and only `note-headers.ts` adds to it.
       */
      headers: string[];
      /** What the request waited for; `undefined` on the operators' listener. */
      waits?: RequestWaits;
      /** The code of the Error body, if the request failed. */
      errorCode?: string | undefined;
      /** The failed attempts, if the request failed because of a store. */
      attempts?: string | undefined;
      /** The JSON body as it was sent, for messages that show a part of it. */
      bodyText?: string | undefined;
      /** Continues with a request that has waited for its turn. */
      begin?: () => void;
      /** Called when the response is complete, which may be long before it is sent. */
      onAnswered?: (() => void) | undefined;
    }
  }
}
