import type { ApiError } from './api-error.ts';

declare global {
  namespace Express {
    /** What the steps of a request's way leave for the steps after them, on both listeners. */
    interface Locals {
      requestId: string;
      /** The template of the request's path, such as `/v1/pets/:petId`, if there is such a path. */
      route: string | undefined;
      /** What the caller was told, if the request failed. */
      errorCode: ApiError['code'] | undefined;
      /** The path's parameters, as they came. */
      pathParams: Readonly<Record<string, unknown>> | undefined;
    }
  }
}
