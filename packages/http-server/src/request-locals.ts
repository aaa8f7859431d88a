import type { OperationMetadata } from '@animal-store/contract';

/**
 * A route of the public contract or of the admin contract, with the properties that the middleware
 * of the two listeners uses.
 */
export interface ContractRoute {
  readonly method: string;
  /** The path of the route, such as `/pets/:petId`. */
  readonly path: string;
  /** The schema of the query, if the operation has query parameters. */
  readonly query?: unknown;
  /** The schema of the body, if the operation takes one. */
  readonly body?: unknown;
  /** All other properties of an operation of the public API, such as its required scope. */
  readonly metadata?: Partial<OperationMetadata>;
  /** The role that an operation of the admin API requires. */
  readonly role?: string;
}

/** The times that a request waited for Redis, for Postgres and so on, in milliseconds. */
export interface RequestWaits {
  /** How long the request waited in the load shedder's queue during an overload. */
  queueMs: number;
  /**
   * How long the request waited until Redis, or this replica itself, decided whether the quota
   * admits it.
   */
  redisMs: number;
  /**
   * How long the request waited for Postgres, including the time for other requests in the same SQL
   * statement.
   */
  sqlMs: number;
  /** How long the request waited for the rest of its body. */
  bodyMs: number;
}

declare global {
  namespace Express {
    interface Request {
      /**
       * The route in the contract. ts-rest sets this property before it calls the middleware of the
       * route.
       */
      tsRestRoute?: ContractRoute;
    }

    /**
     * The values of a request that both listeners share between their middleware. The server
     * declares further values: see its files `api/identify-caller.ts` and `ops/admin-operation.ts`.
     */
    interface Locals {
      requestId: string;
      /**
       * The time when the request arrived, by `systemClock.elapsed()`. The wait in the load
       * shedder's queue comes after this time.
       */
      arrivedAt: number;
      /**
       * The headers of the response: names and values alternately, each name once.
       * `begin-request.ts` creates the list, and only `collected-headers.ts` changes it.
       */
      headers: string[];
      /**
       * The times that the request waited for Redis, for Postgres and so on; `undefined` on the ops
       * listener.
       */
      waits?: RequestWaits;
      /** What the request waits for now; `undefined` if it does not wait. */
      waitingFor?: keyof RequestWaits | undefined;
      /** The time when the current wait began, by `systemClock.elapsed()`. */
      waitingSince?: number;
      /** The error code in the response body, if the request failed. */
      errorCode?: string | undefined;
      /**
       * The failed attempts to use Postgres or Redis, if the request failed because of these
       * attempts.
       */
      attempts?: string | undefined;
      /** The JSON body as the caller sent it. Error messages show parts of it. */
      bodyText?: string | undefined;
      /** A function that continues with a request when the load shedder starts it. */
      begin?: () => void;
      /**
       * A function that is called when the response is complete, which may be long before it is
       * sent.
       */
      onAnswered?: (() => void) | undefined;
    }
  }
}
