import type { AppRouter } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import { type IRouter, type NextFunction, type RequestHandler, Router } from 'express';

type Implementation<Contract extends AppRouter> = Parameters<
  typeof createExpressEndpoints<Contract>
>[1];

/** All of them, because ts-rest drops its defaults once it gets any option. */
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
 * ts-rest expects a router to register paths with. It gets an object that only collects the handlers,
 * because the route table has matched the path already.
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
