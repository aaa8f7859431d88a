import type { AppRouter } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import type { IRouter, NextFunction, RequestHandler } from 'express';
import type { ZodType } from 'zod';

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

/** The headers of an operation that reads none. Without it, ts-rest copies all headers of a request. */
const noHeaders = {
  '~standard': { version: 1, vendor: 'animal-store', validate: () => ({ value: undefined }) },
} as const;

/**
 * Gives a schema of queries that remembers its results. `create-express.ts` gives requests with the same
 * query the same object.
 */
function rememberResults({ '~standard': standard }: ZodType): Pick<ZodType, '~standard'> {
  const results = new WeakMap<object, ReturnType<typeof standard.validate>>();
  function validate(query: unknown) {
    const known = results.get(query as object);
    if (known !== undefined) return known;
    const result = standard.validate(query);
    results.set(query as object, result);
    return result;
  }
  return { '~standard': { ...standard, validate } };
}

/** Called by ts-rest with a failure, in an async function: that rejects. */
const rethrow: NextFunction = (failure?: unknown) => {
  if (failure !== undefined) throw failure;
};

/**
 * Gives the handler of each operation of a contract: it validates the request, calls the
 * implementation and sends the response. It rejects with every failure.
 *
 * ts-rest expects a router to register paths with. It gets an object that only collects the steps,
 * because the route table has matched the path already.
 */
export function contractHandlers<Contract extends AppRouter>(
  contract: Contract,
  implementation: Implementation<Contract>,
): Record<keyof Contract & string, RequestHandler> {
  const handlers = Object.entries(contract).map(([name, operation]) => {
    const query = 'query' in operation && { query: rememberResults(operation.query as ZodType) };
    let steps: RequestHandler[] = [];
    // The first step only stores the contract's route on the request, which nothing reads.
    const collect = (_path: string, _noteRoute: RequestHandler, ...rest: RequestHandler[]) => {
      steps = rest;
    };
    const collector = {
      get: collect,
      post: collect,
      put: collect,
      patch: collect,
      delete: collect,
    };
    createExpressEndpoints(
      { [name]: { headers: noHeaders, ...operation, ...query } } as AppRouter,
      { [name]: implementation[name] } as Implementation<AppRouter>,
      { ...collector, use() {} } as unknown as IRouter,
      endpointOptions,
    );
    const handle: RequestHandler = async (req, res) => {
      for (const step of steps) await step(req, res, rethrow);
    };
    return [name, handle];
  });
  return Object.fromEntries(handlers);
}
