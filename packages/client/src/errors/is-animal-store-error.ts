import type { AbortError } from './abort-error.ts';
import { type AnimalStoreError, errorBrand } from './animal-store-error.ts';
import type { ApiError } from './api-error.ts';
import type { AuthenticationError } from './authentication-error.ts';
import type { BadRequestError } from './bad-request-error.ts';
import type { ConflictError } from './conflict-error.ts';
import type { ConnectionError } from './connection-error.ts';
import type { InsufficientScopeError } from './insufficient-scope-error.ts';
import type { KeySuspendedError } from './key-suspended-error.ts';
import type { NotFoundError } from './not-found-error.ts';
import type { RateLimitError } from './rate-limit-error.ts';
import type { ServerError } from './server-error.ts';
import type { TimeoutError } from './timeout-error.ts';
import type { UnprocessableError } from './unprocessable-error.ts';

/**
 * Every `AnimalStoreError` that a call can reject with. A check of `name` narrows the type to one
 * class.
 */
export type AnyAnimalStoreError =
  | AbortError
  | (AnimalStoreError & { readonly name: 'AnimalStoreError' })
  | (ApiError & { readonly name: 'ApiError' })
  | AuthenticationError
  | BadRequestError
  | ConflictError
  | (ConnectionError & { readonly name: 'ConnectionError' })
  | InsufficientScopeError
  | KeySuspendedError
  | NotFoundError
  | RateLimitError
  | ServerError
  | TimeoutError
  | UnprocessableError;

/** The error class for each HTTP status. */
export interface ApiErrorByStatus {
  /** The error for status 400: the request was invalid. */
  400: BadRequestError;
  /** The error for status 401: the API key was refused. */
  401: AuthenticationError;
  /**
   * The error for status 403: the API key lacks a scope or is suspended, or a proxy forbids the
   * request.
   */
  403: InsufficientScopeError | KeySuspendedError | (ApiError & { readonly status: 403 });
  /** The error for status 404: the animal or the path does not exist. */
  404: NotFoundError;
  /** The error for status 409: a request with the same idempotency key is in progress. */
  409: ConflictError;
  /** The error for status 422: the idempotency key was used for a different animal. */
  422: UnprocessableError;
  /** The error for status 429: the quota is used up, or the API key is banned. */
  429: RateLimitError;
}

/**
 * Checks whether a value is an error of this client. The check also recognizes errors of another
 * copy of this package, such as its CommonJS build, for which `instanceof` is false. Afterwards, a
 * check of `name` narrows the type to one class.
 *
 * @example
 * ```ts
 * if (isAnimalStoreError(error) && error.name === 'RateLimitError')
 * console.log(error.retryAfterMs);
 * ```
 */
export function isAnimalStoreError(error: unknown): error is AnyAnimalStoreError {
  return Boolean((error as AnyAnimalStoreError | undefined)?.[errorBrand]);
}

/**
 * Checks whether a value is an `ApiError` with the given status. Like {@link isAnimalStoreError},
 * it recognizes the errors of every copy of this package.
 *
 * @example
 * ```ts
 * if (isApiError(error, 404)) console.log('no such animal');
 * ```
 */
export function isApiError<Status extends number>(
  error: unknown,
  status: Status,
): error is Status extends keyof ApiErrorByStatus
  ? ApiErrorByStatus[Status]
  : ApiError & { readonly status: Status };
/** Checks whether a value is an `ApiError` with any status. */
export function isApiError(error: unknown): error is ApiError;
export function isApiError(error: unknown, status?: number): boolean {
  return (
    isAnimalStoreError(error) && 'status' in error && (status ?? error.status) === error.status
  );
}
