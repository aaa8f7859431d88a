import type { AppRouter } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import { type IRouter, type NextFunction, type RequestHandler, Router } from 'express';

type Implementation<Contract extends AppRouter> = Parameters<
  typeof createExpressEndpoints<Contract>
>[1];

/** Given whole: once ts-rest is given any option, it has no defaults. */
const endpointOptions = {
  jsonQuery: false,
  logInitialization: false,
  responseValidation: false,
  requestValidationErrorHandler: (
    error: unknown,
    _req: unknown,
    _res: unknown,
    next: NextFunction,
  ) => next(error),
};

/**
 * Gives the handler of each operation of a contract: it validates the request, calls the
 * implementation and sends the response.
 *
 * ts-rest would add them to a router by their paths. It adds them to a collector instead, because
 * the route table has found the path already.
 */
export function contractHandlers<Contract extends AppRouter>(
  contract: Contract,
  implementation: Implementation<Contract>,
): Record<keyof Contract & string, RequestHandler> {
  const handlers = Object.entries(contract).map(([name, operation]) => {
    const router = Router({ mergeParams: true });
    const collect = (_path: string, ...steps: RequestHandler[]) => router.use(steps);
    const collector = {
      get: collect,
      post: collect,
      put: collect,
      patch: collect,
      delete: collect,
    };
    createExpressEndpoints(
      { [name]: operation },
      { [name]: implementation[name] } as Implementation<AppRouter>,
      { ...collector, use() {} } as unknown as IRouter,
      endpointOptions,
    );
    return [name, router];
  });
  return Object.fromEntries(handlers);
}
