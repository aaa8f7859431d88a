import type { ApiError } from '../api-error.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { QuotaDecision } from '../quotas/quotas.ts';
import type { Operation } from './operations.ts';

declare global {
  namespace Express {
    /** What the steps of a request's way leave for the steps after them. */
    interface Locals {
      requestId: string;
      /** The operation of the request's path and method, if there is one. */
      operation: Operation | undefined;
      /** The template of the request's path, such as `/v1/pets/:petId`, if there is such a path. */
      route: string | undefined;
      /** The first characters of the token that the request brings, valid or not. */
      tokenPrefix: string | undefined;
      /** The key that the request brings, if it is valid. */
      apiKey: ApiKey | undefined;
      /** The key that an operator made. */
      keyId: string | undefined;
      /** Why a probe was told that this replica is not ready, or not whole. */
      reasons: readonly string[] | undefined;
      /** How the request was counted. */
      decision: QuotaDecision | undefined;
      /** What the caller was told, if the request failed. */
      errorCode: ApiError['code'] | undefined;
      /** The path's parameters, as they came. */
      pathParams: Readonly<Record<string, unknown>> | undefined;
    }
  }
}
