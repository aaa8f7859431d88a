import type { CallDetails } from './animal-store-error.ts';
import { ApiError, type ApiErrorDetails } from './api-error.ts';
import { AuthenticationError } from './authentication-error.ts';
import { BadRequestError } from './bad-request-error.ts';
import { ConflictError } from './conflict-error.ts';
import type { ApiErrorByStatus } from './is-animal-store-error.ts';
import { NotFoundError } from './not-found-error.ts';
import { RateLimitError } from './rate-limit-error.ts';
import { ServerError } from './server-error.ts';
import { UnprocessableError } from './unprocessable-error.ts';

type ApiErrorClass<E extends ApiError> = new (details: ApiErrorDetails, call: CallDetails) => E;

const classes: { [Status in keyof ApiErrorByStatus]: ApiErrorClass<ApiErrorByStatus[Status]> } = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** Creates the error whose class goes with the status. */
export function createApiError(details: ApiErrorDetails, call: CallDetails): ApiError {
  const { status } = details;
  const ErrorClass: ApiErrorClass<ApiError> =
    classes[status as keyof typeof classes] ?? (status >= 500 ? ServerError : ApiError);
  return new ErrorClass(details, call);
}
