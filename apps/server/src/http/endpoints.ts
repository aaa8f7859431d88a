import { errorMessages } from '@animal-store/contract';
import type { IRouter, NextFunction, RequestHandler } from 'express';
import { HttpError } from './http-error.ts';
import { setHeader } from './note-headers.ts';
import { send } from './send-response.ts';

/**
 * Options of `createExpressEndpoints`. All options are set, because ts-rest drops its defaults if
 * it gets any option.
 */
export const endpointOptions = {
  jsonQuery: false,
  logInitialization: false,
  responseValidation: false,
  // The default handler would send the issues of zod to the caller.
  requestValidationErrorHandler: (
    error: unknown,
    _req: unknown,
    _res: unknown,
    next: NextFunction,
  ) => next(error),
};

/**
 * Registers responses for all other methods of the routes' paths. Call it after the routes' own
 * endpoints are registered.
 *
 * - OPTIONS gets the allowed methods (RFC 9110, §9.3.7), if `admitOptions` is given.
 * - Other methods get 405.
 */
export function answerOtherMethods(
  router: IRouter,
  routes: Iterable<{ readonly method: string; readonly path: string }>,
  admit: RequestHandler,
  admitOptions?: RequestHandler,
): void {
  for (const [path, found] of Map.groupBy(routes, (route) => route.path)) {
    // Express handles HEAD like GET (RFC 9110, §9.3.2). The OpenAPI document lists methods in the
    // same order.
    const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const headers = { Allow: methods.join(', ') };
    // `app.all` would add a layer for each of 35 methods.
    const route = router.route(path);
    if (admitOptions !== undefined) {
      route.options(admitOptions, function tellMethods(_req, res) {
        setHeader(res, 'Allow', headers.Allow);
        send(res.status(204));
      });
    }
    route.all(admit, function refuseMethod() {
      const message = errorMessages.method_not_allowed(methods);
      throw new HttpError('method_not_allowed', message, { headers });
    });
  }
}

/** Refuses any request with 404. */
export const refusePath: RequestHandler = function refuseUnknownPath() {
  throw new HttpError('not_found', errorMessages.not_found);
};
