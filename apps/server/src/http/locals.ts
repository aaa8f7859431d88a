import type { HttpError } from './http-error.ts';
import type { RoutedPath } from './route-table.ts';

declare global {
  namespace Express {
    /** What middleware of both listeners notes for later middleware. */
    interface Locals {
      requestId: string;
      /**
       * Headers of the response, as names and values in turn. `send-json.ts` writes them all at
       * once, which takes half as long as to set one after the other.
       */
      headers: string[];
      /** The path of the request, if there is such a path. */
      path: RoutedPath | undefined;
      /** The name of the route of the request's path and method, if there is one. */
      operation: string | undefined;
      /** The code of the Error body, if the request failed. */
      errorCode: HttpError['code'] | undefined;
      /** The parameters of the path as they were sent. */
      rawParams: Readonly<Record<string, string>> | undefined;
      /** The same, decoded but not validated. Not set before the handler is called. */
      pathParams: Readonly<Record<string, unknown>> | undefined;
    }
  }
}
