import type { CallDetails } from './animal-store-error.ts';
import { ApiError, type ApiErrorDetails } from './api-error.ts';
import { AuthenticationError } from './authentication-error.ts';
import { BadRequestError } from './bad-request-error.ts';
import { ConflictError } from './conflict-error.ts';
import { InsufficientScopeError } from './insufficient-scope-error.ts';
import type { ApiErrorByStatus } from './is-animal-store-error.ts';
import { KeySuspendedError } from './key-suspended-error.ts';
import { NotFoundError } from './not-found-error.ts';
import { RateLimitError } from './rate-limit-error.ts';
import { ServerError } from './server-error.ts';
import { UnprocessableError } from './unprocessable-error.ts';

type ApiErrorClass<E extends ApiError> = new (
  details: ApiErrorDetails,
  call: CallDetails,
  cause?: unknown,
) => E;

const classes: {
  [Status in Exclude<keyof ApiErrorByStatus, 403>]: ApiErrorClass<ApiErrorByStatus[Status]>;
} = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/**
 * Creates the error for a failed response. The class depends on the status, and for status 403 also
 * on the code.
 */
export function createApiError(
  details: ApiErrorDetails,
  call: CallDetails,
  cause?: unknown,
): ApiError {
  const { status, code } = details;
  const ErrorClass: ApiErrorClass<ApiError> =
    status >= 500
      ? ServerError
      : status === 403 && code === 'insufficient_scope'
        ? InsufficientScopeError
        : status === 403 && code === 'key_suspended'
          ? KeySuspendedError
          : (classes[status as keyof typeof classes] ?? ApiError);
  return new ErrorClass(details, call, cause);
}
