import { parse } from 'node:querystring';
import type { AppRouter } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import type { IRouter, NextFunction, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
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

/** The query parser of Express: `req.query` stays a text until it is validated. */
export const unparsedQuery = (query: string | null): string => query ?? '';

/** Parses a query. Node's default ignores everything after the first 1,000 parameters. */
export const parseQuery = (query: string) => parse(query, '&', '=', { maxKeys: 0 });

/** Longer than the queries of links to further pages. */
const maxRememberedLength = 200;

/**
 * Turns a schema of queries into one of their texts, and remembers its results: clients send the same
 * queries again and again. So a result may depend on nothing but the query.
 */
function rememberResults({ '~standard': standard }: ZodType): Pick<ZodType, '~standard'> {
  const results = new LRUCache<string, Awaited<ReturnType<typeof standard.validate>>>({
    max: 1_000,
  });
  function validate(query: unknown) {
    const text = query as string;
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = standard.validate(parseQuery(text));
    if (text.length <= maxRememberedLength && !(result instanceof Promise)) {
      results.set(text, result);
    }
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
