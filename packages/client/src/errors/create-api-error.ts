import { ApiError, type ApiErrorDetails } from './api-error.ts';
import { AuthenticationError } from './authentication-error.ts';
import { BadRequestError } from './bad-request-error.ts';
import { ConflictError } from './conflict-error.ts';
import { NotFoundError } from './not-found-error.ts';
import { RateLimitError } from './rate-limit-error.ts';
import { ServerError } from './server-error.ts';
import { UnprocessableError } from './unprocessable-error.ts';

/** Makes the error whose class goes with the status. */
export function createApiError(details: ApiErrorDetails): ApiError {
  switch (details.status) {
    case 400:
      return new BadRequestError(details);
    case 401:
      return new AuthenticationError(details);
    case 404:
      return new NotFoundError(details);
    case 409:
      return new ConflictError(details);
    case 422:
      return new UnprocessableError(details);
    case 429:
      return new RateLimitError(details);
    default:
      return details.status >= 500 ? new ServerError(details) : new ApiError(details);
  }
}
