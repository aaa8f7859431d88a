import { errorMessages, rateLimitHeaders } from '@animal-store/contract';
import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { setHeader } from './collected-headers.ts';
import { HttpError } from './http-error.ts';
import { validationMessage } from './validation-message.ts';

/**
 * Creates the error handler that turns every error into a response with the JSON error body of the
 * contract.
 *
 * @param report a function that is called with the error and the request id for every 500.
 */
export function errorMapper(
  report: (failure: unknown, requestId: string) => void,
): ErrorRequestHandler {
  return function answerFailure(failure: unknown, req, res, next) {
    const error = toApiError(failure, req, res);
    res.locals.errorCode = error.code;
    res.locals.attempts = attemptsOf(failure);
    if (error.code === 'internal_error') report(failure, res.locals.requestId);
    // The response has already begun, so it cannot be replaced by an error. Express closes the
    // connection, so that the client notices the failure.
    if (res.headersSent) return next(failure);
    for (const name in error.headers) setHeader(res, name, error.headers[name] as string);
    res.status(error.status).json(error.toBody());
  };
}

/**
 * Returns which attempts failed before a 503, such as connections to the database. Errors of the
 * database list them in the property `attempts`.
 */
function attemptsOf(failure: unknown): string | undefined {
  for (let error = failure; error instanceof Error; error = error.cause) {
    if ('attempts' in error) return String(error.attempts);
  }
  return undefined;
}

function toApiError(failure: unknown, req: Request, res: Response): HttpError {
  if (failure instanceof HttpError) return failure;
  if (failure instanceof RequestValidationError) {
    return new HttpError('invalid_request', validationMessage(failure, req, res));
  }
  // Errors with the property `retryAfterSeconds` become a 503, such as errors of the database. Their
  // classes are not checked, because this package does not import the packages that throw them.
  if (failure instanceof Error && 'retryAfterSeconds' in failure) {
    return new HttpError('service_unavailable', errorMessages.service_unavailable, {
      headers: { [rateLimitHeaders.retryAfter]: String(failure.retryAfterSeconds) },
    });
  }
  return new HttpError('internal_error', errorMessages.internal_error);
}
