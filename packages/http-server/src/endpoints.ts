import { errorMessages } from '@animal-store/contract';
import type { IRouter, NextFunction, RequestHandler } from 'express';
import { setHeader } from './collected-headers.ts';
import { HttpError } from './http-error.ts';
import { send } from './send-response.ts';

/**
 * The options of `createExpressEndpoints`. This object sets every option, because ts-rest drops
 * all of its defaults when one option is set.
 */
export const endpointOptions = {
  jsonQuery: false,
  logInitialization: false,
  responseValidation: false,
  // This handler replaces the default handler of ts-rest, which would send the raw validation
  // issues of zod to the caller.
  requestValidationErrorHandler: (
    error: unknown,
    _req: unknown,
    _res: unknown,
    next: NextFunction,
  ) => next(error),
};

/**
 * Registers responses for the methods that a path does not support. Call the function after the
 * endpoints of the routes are registered.
 *
 * - OPTIONS returns the allowed methods if `admitOptions` is given (RFC 9110, §9.3.7).
 * - All other methods get 405.
 */
export function answerOtherMethods(
  router: IRouter,
  routes: Iterable<{ readonly method: string; readonly path: string }>,
  admit: RequestHandler,
  admitOptions?: RequestHandler,
): void {
  for (const [path, found] of Map.groupBy(routes, (route) => route.path)) {
    // `Allow` contains HEAD after GET, because Express handles HEAD like GET (RFC 9110, §9.3.2).
    // The OpenAPI document lists the methods in the same order.
    const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const headers = { Allow: methods.join(', ') };
    // One handler refuses all methods, because `app.all` would add a layer to the router for each
    // of Node's 35 methods.
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

/** Refuses a request to an unknown path with 404. */
export const refusePath: RequestHandler = function refuseUnknownPath() {
  throw new HttpError('not_found', errorMessages.not_found);
};
