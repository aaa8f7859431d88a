import type { ApiError } from './api-error.ts';
import type { RoutedPath } from './route-table.ts';

declare global {
  namespace Express {
    /** What the steps of a request's way leave for the steps after them, on both listeners. */
    interface Locals {
      requestId: string;
      /** The path of the request, if there is such a path. */
      path: RoutedPath | undefined;
      /** The name of the route of the request's path and method, if there is one. */
      operation: string | undefined;
      /** What the caller was told, if the request failed. */
      errorCode: ApiError['code'] | undefined;
      /** The path's parameters, as they came. */
      pathParams: Readonly<Record<string, unknown>> | undefined;
    }
  }
}
