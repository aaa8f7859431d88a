import { ApiError, type ApiErrorDetails } from './api-error.ts';
import { AuthenticationError } from './authentication-error.ts';
import { BadRequestError } from './bad-request-error.ts';
import { ConflictError } from './conflict-error.ts';
import type { ApiErrorByStatus } from './is-api-error.ts';
import { NotFoundError } from './not-found-error.ts';
import { RateLimitError } from './rate-limit-error.ts';
import { ServerError } from './server-error.ts';
import { UnprocessableError } from './unprocessable-error.ts';

const classes = {
  400: BadRequestError,
  401: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
} satisfies {
  [Status in keyof ApiErrorByStatus]: new (
    details: ApiErrorDetails,
  ) => ApiErrorByStatus[Status];
};

/** Makes the error whose class goes with the status. */
export function createApiError(details: ApiErrorDetails): ApiError {
  const { status } = details;
  const ErrorClass =
    status in classes
      ? classes[status as keyof typeof classes]
      : status >= 500
        ? ServerError
        : ApiError;
  return new ErrorClass(details);
}
