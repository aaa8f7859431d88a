import type { ErrorCode } from '@animal-store/contract';
import { parseRetryAfter } from '../parse-retry-after.ts';
import type { HeaderList } from '../platform-types.ts';
import { AnimalStoreError, type CallDetails } from './animal-store-error.ts';

/** The facts from a failed response. */
export interface ApiErrorDetails {
  /** The HTTP status. */
  status: number;
  /** The machine-readable error code of the service. */
  code: ErrorCode | (string & {}) | undefined;
  /** The service's description of the failure. */
  detail: string;
  /** The header fields of the response. */
  headers: HeaderList;
  /** The body of the response as text, or `undefined` if no request was sent. */
  body?: string | undefined;
  /** For a request that was not sent: how long to wait before the next attempt, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/**
 * An error response from the service, or from a proxy in front of it. Common statuses have their
 * own subclass. All other statuses, such as 405, use this class.
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
  /** The name of the class. A check of `name` narrows the type of the error. */
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
   * The machine-readable error code of the service. A newer service may send codes that this type
   * does not list. The code is `undefined` if a proxy sent the response, such as an HTML page.
   */
  declare readonly code: ErrorCode | (string & {}) | undefined;

  /**
   * The address of the error code in the API reference, which explains what to do. It is
   * `undefined` if the response has no code.
   */
  declare readonly docsUrl: string | undefined;

  /** The description from the service, without the operation, the status and the request id. */
  declare readonly detail: string;

  /** The header fields of the response. They are empty if no request was sent. */
  declare readonly headers: HeaderList;

  /**
   * The body of the response as text, at most its first 10,000 characters. The API key is removed.
   * Use `parseJson` to read members that this version does not know. The body is `undefined` if no
   * request was sent.
   */
  declare readonly body: string | undefined;

  /**
   * How long to wait before the next attempt, in milliseconds. The time comes from `Retry-After` in
   * the response. If no request was sent, it comes from the last known quota state.
   */
  declare readonly retryAfterMs: number | undefined;

  constructor(details: ApiErrorDetails, call: CallDetails, cause?: unknown) {
    const { status, code, detail, headers } = details;
    const requestId = headers.get('X-Request-Id') ?? undefined;
    const facts = [`HTTP ${status}`, code, requestId && `request ${requestId}`];
    super(`${detail} (${facts.filter(Boolean).join(', ')})`, call, cause);
    Object.assign(this, details, { requestId });
    // The path is written as a string in this file, because an import from the contract would make
    // bundles larger. A test compares the path with the contract. `URL` escapes special characters
    // of the code.
    this.docsUrl = code && new URL(`/docs#error-${code}`, call.url).href;
    this.retryAfterMs ??= parseRetryAfter(headers);
  }
}
