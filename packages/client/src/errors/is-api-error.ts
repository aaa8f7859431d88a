import { type ApiError, apiErrorBrand } from './api-error.ts';
import type { AuthenticationError } from './authentication-error.ts';
import type { BadRequestError } from './bad-request-error.ts';
import type { ConflictError } from './conflict-error.ts';
import type { NotFoundError } from './not-found-error.ts';
import type { RateLimitError } from './rate-limit-error.ts';
import type { UnprocessableError } from './unprocessable-error.ts';

/** The class of error that goes with a status. */
export interface ApiErrorByStatus {
  400: BadRequestError;
  401: AuthenticationError;
  404: NotFoundError;
  409: ConflictError;
  422: UnprocessableError;
  429: RateLimitError;
}

/**
 * Whether something is an `ApiError`, and perhaps one of a certain status. Unlike `instanceof` it
 * also knows the errors of another copy of this package, such as its CommonJS half.
 */
export function isApiError<Status extends number>(
  error: unknown,
  status: Status,
): error is Status extends keyof ApiErrorByStatus
  ? ApiErrorByStatus[Status]
  : ApiError & { readonly status: Status };
export function isApiError(error: unknown): error is ApiError;
export function isApiError(error: unknown, status?: number): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    apiErrorBrand in error &&
    (status === undefined || (error as ApiError).status === status)
  );
}
