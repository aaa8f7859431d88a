import type { ErrorCode } from '@animal-store/contract';
import { parseRetryAfter } from '../parse-retry-after.ts';
import type { HeaderList } from '../platform-types.ts';
import { AnimalStoreError, type CallDetails } from './animal-store-error.ts';

/** The facts of a failed response. */
export interface ApiErrorDetails {
  /** The HTTP status. */
  status: number;
  /** The service's machine-readable code. */
  code: ErrorCode | (string & {}) | undefined;
  /** The service's description of the failure. */
  detail: string;
  /** The header fields of the response. */
  headers: HeaderList;
  /** The body of the response as text; `undefined` if no request was sent. */
  body?: string | undefined;
  /** How long to wait, if the header fields of no response say so. */
  retryAfterMs?: number | undefined;
}

/**
 * The service, or a proxy in front of it, responded with something other than a success. A status
 * without a class of its own, such as 405, is this class itself.
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
    | 'InsufficientScopeError'
    | 'KeySuspendedError'
    | 'NotFoundError'
    | 'RateLimitError'
    | 'ServerError'
    | 'UnprocessableError' = 'ApiError';

  /** The HTTP status of the response. */
  declare readonly status: number;

  /**
   * The service's machine-readable code. A newer service may send codes that are not listed.
   * `undefined` if the body is not from the service, such as the HTML of a proxy.
   */
  declare readonly code: ErrorCode | (string & {}) | undefined;

  /**
   * The address of the code in the reference of the service, which explains it and says what to do;
   * `undefined` if there is no code.
   */
  declare readonly docsUrl: string | undefined;

  /** The service's own description, without the operation, the status and the request id. */
  declare readonly detail: string;

  /** The header fields of the response; none if no request was sent. */
  declare readonly headers: HeaderList;

  /**
   * The body of the response as text, without the API key; at most its first 10,000 characters.
   * `parseJson` reads members that this version does not know. `undefined` if no request was sent.
   */
  declare readonly body: string | undefined;

  /**
   * How long to wait before the next attempt, in milliseconds: from the response (`Retry-After`),
   * or from the known quota if no request was sent.
   */
  declare readonly retryAfterMs: number | undefined;

  constructor(details: ApiErrorDetails, call: CallDetails, cause?: unknown) {
    const { status, code, detail, headers } = details;
    const requestId = headers.get('X-Request-Id') ?? undefined;
    const facts = [`HTTP ${status}`, code, requestId && `request ${requestId}`];
    super(`${detail} (${facts.filter(Boolean).join(', ')})`, call, cause);
    Object.assign(this, details, { requestId });
    // The address is a literal, which is smaller in a bundle. A test compares it with the
    // contract's. `URL` encodes the code.
    this.docsUrl = code && new URL(`/docs#error-${code}`, call.url).href;
    this.retryAfterMs ??= parseRetryAfter(headers);
  }
}
