import type { RequestValidationError } from '@ts-rest/express';
import type { NextFunction, Response } from 'express';

/**
 * How ts-rest serves a contract, whichever it is. Given whole: it takes none of its defaults once it
 * is given any option.
 */
export const endpointOptions = {
  jsonQuery: false,
  logInitialization: false,
  responseValidation: false,
  requestValidationErrorHandler: failWith,
  globalMiddleware: [keepPathParams],
};

function failWith(
  error: RequestValidationError,
  _req: unknown,
  _res: unknown,
  next: NextFunction,
): void {
  next(error);
}

/** Express forgets them before the error mapper comes to describe what was wrong with them. */
function keepPathParams(
  { params }: { params: Readonly<Record<string, unknown>> },
  res: Response,
  next: NextFunction,
): void {
  res.locals.pathParams = params;
  next();
}
