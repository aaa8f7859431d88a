import { errorMessages } from '@animal-store/contract';
import type { IRouter, NextFunction, RequestHandler } from 'express';
import { HttpError } from './http-error.ts';
import { setHeader } from './note-headers.ts';
import { send } from './send-response.ts';

/** Options of `createExpressEndpoints`: all of them, because ts-rest drops its defaults once it gets any. */
export const endpointOptions = {
  jsonQuery: false,
  logInitialization: false,
  responseValidation: false,
  // The default sends zod's own issues.
  requestValidationErrorHandler: (
    error: unknown,
    _req: unknown,
    _res: unknown,
    next: NextFunction,
  ) => next(error),
};

/**
 * Answers every other method of the paths of routes. It comes after their endpoints.
 *
 * - OPTIONS with the methods that they have (RFC 9110, §9.3.7), if `admitOptions` is given;
 * - all else with 405.
 */
export function answerOtherMethods(
  router: IRouter,
  routes: Iterable<{ readonly method: string; readonly path: string }>,
  admit: RequestHandler,
  admitOptions?: RequestHandler,
): void {
  for (const [path, found] of Map.groupBy(routes, (route) => route.path)) {
    // Express answers HEAD as GET (RFC 9110, §9.3.2). The OpenAPI document has the same order.
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

/** Answers with 404. */
export const refusePath: RequestHandler = function refuseUnknownPath() {
  throw new HttpError('not_found', errorMessages.not_found);
};
