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

type Routes = Iterable<{ readonly method: string; readonly path: string }>;

/** The methods of each path. */
function methodsByPath(routes: Routes): [path: string, methods: string[]][] {
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, found]) => {
    const methods = found.map(({ method }) => method);
    // Express answers HEAD as GET (RFC 9110, §9.3.2).
    return [path, methods.includes('GET') ? [...methods, 'HEAD'] : methods];
  });
}

/**
 * Answers OPTIONS on the paths of routes with the methods that they have (RFC 9110, §9.3.7).
 *
 * @param steps what a request passes before.
 */
export function answerOptions(
  router: IRouter,
  routes: Routes,
  steps: readonly RequestHandler[],
): void {
  for (const [path, methods] of methodsByPath(routes)) {
    router.options(path, ...steps, function tellMethods(_req, res) {
      setHeader(res, 'Allow', methods.join(', '));
      send(res.status(204));
    });
  }
}

/**
 * Answers every other method of the paths of routes with 405. It comes after their endpoints.
 *
 * @param steps what a request passes before.
 */
export function refuseOtherMethods(
  router: IRouter,
  routes: Routes,
  steps: readonly RequestHandler[] = [],
): void {
  for (const [path, methods] of methodsByPath(routes)) {
    // `app.all` would add a layer for each of 35 methods.
    router.route(path).all(...steps, function refuseMethod(_req, _res, next) {
      next(
        new HttpError('method_not_allowed', errorMessages.method_not_allowed(methods), {
          headers: { Allow: methods.join(', ') },
        }),
      );
    });
  }
}

/** Answers with 404. */
export const refusePath: RequestHandler = function refuseUnknownPath(_req, _res, next) {
  next(new HttpError('not_found', errorMessages.not_found));
};
