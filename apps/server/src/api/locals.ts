import type { ApiKey } from '../keys/api-key.ts';
import type { Operation } from './operations.ts';

declare global {
  namespace Express {
    /** What the steps of a request's way leave for the steps after them. */
    interface Locals {
      requestId: string;
      /** The operation of the request's path and method, if there is one. */
      operation: Operation | undefined;
      /** The key that the request brings, if it is valid. */
      apiKey: ApiKey | undefined;
      /** The path's parameters, as they came. */
      pathParams: Readonly<Record<string, unknown>> | undefined;
    }
  }
}
