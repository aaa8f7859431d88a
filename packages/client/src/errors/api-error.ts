import type { ErrorCode } from '@animal-store/contract';
import { AnimalStoreError, type CallDetails } from './animal-store-error.ts';

/** What an answer says about its failure. */
export interface ApiErrorDetails {
  /** The HTTP status. */
  status: number;
  /** The service's machine-readable code. */
  code: ErrorCode | (string & {}) | undefined;
  /** The service's description of the failure. */
  detail: string;
  /** The header fields of the answer. */
  headers: Headers;
}

/**
 * The service, or a proxy in front of it, answered with something other than a success. A status
 * that has no class of its own, such as 405, is this class itself.
 *
 * @example
 * ```ts
 * try {
 *   await store.createPet({ name: 'Mia', categoryId: 3 });
 * } catch (error) {
 *   if (error instanceof ApiError) console.error(error.status, error.code, error.detail);
 *   else throw error;
 * }
 * ```
 */
export class ApiError extends AnimalStoreError {
  /** The name of the class, which narrows the type. */
  override readonly name:
    | 'ApiError'
    | 'AuthenticationError'
    | 'BadRequestError'
    | 'ConflictError'
    | 'NotFoundError'
    | 'RateLimitError'
    | 'ServerError'
    | 'UnprocessableError' = 'ApiError';

  /** The HTTP status of the answer. */
  declare readonly status: number;

  /**
   * The service's machine-readable code; a newer service may send others than those listed.
   * `undefined` if the body is not the service's, such as the HTML of a proxy.
   */
  declare readonly code: ErrorCode | (string & {}) | undefined;

  /** The service's own description, without the operation, the status and the request id. */
  declare readonly detail: string;

  /** The header fields of the answer. */
  declare readonly headers: Headers;

  constructor(details: ApiErrorDetails, call: CallDetails) {
    const { status, code, detail, headers } = details;
    const requestId = headers.get('X-Request-Id') ?? undefined;
    const facts = [`HTTP ${status}`, code, requestId && `request ${requestId}`];
    super(`${detail} (${facts.filter(Boolean).join(', ')})`, call, undefined, requestId);
    Object.assign(this, details);
  }
}
