import { apiVersion, operations, rateLimitHeaders } from '@animal-store/contract';
import type { ContractRoute, LoadShedder, WaitingCaller } from '@animal-store/http-server';
import {
  addHeader,
  ageMs,
  beginRequest,
  HttpError,
  networkOf,
  recordArrival,
  recordQueueWait,
  send,
} from '@animal-store/http-server';
import type { Request, RequestHandler, Response } from 'express';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createAdmission } from './admission.ts';
import { tokenOf } from './identify-caller.ts';

const overloaded = new HttpError(
  'service_unavailable',
  'The service is overloaded. Retry after 1 s.',
);
/**
 * The response body is a string, because Node writes a string together with the headers. A Buffer
 * would need a second write.
 */
const overloadedBody = JSON.stringify(overloaded.toBody());

/** Matches `/v1` and all paths below it. */
const apiPath = new RegExp(`^/${apiVersion}(?:[/?]|$)`);

/**
 * The deprecated operations with regular expressions for their paths. A 503 during an overload is
 * sent before Express has found the route, so the load shedder finds the operation by these
 * expressions.
 */
const deprecatedRoutes = Object.values<ContractRoute>(operations)
  .filter(({ metadata }) => metadata?.deprecation !== undefined)
  .map((route) => {
    const pattern = route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/?]+)');
    return { route, pathname: new RegExp(`^/${apiVersion}${pattern}(?:\\?|$)`) };
  });

export interface LoadSheddingOptions {
  readonly loadShedder: Pick<LoadShedder, 'enter'>;
  readonly keys: Pick<KeyCache, 'findCached'>;
  /**
   * A function that is called for each request that is refused because of overload. The observers
   * in `onEnd` are not called for these requests.
   */
  readonly onShed: (method: string, durationMs: number) => void;
}

/**
 * Creates the middleware that lets requests wait while the service is overloaded, or refuses them
 * with 503. It is the first middleware, even before the log. When thousands of callers do not back
 * off, a refusal must take much less CPU time than a normal response.
 */
export function shedLoad(
  options: LoadSheddingOptions &
    Pick<
      ReturnType<typeof createAdmission>,
      'allowOrigin' | 'addDeprecationHeaders' | 'addNetworkQuota'
    >,
): RequestHandler {
  const { keys, loadShedder, onShed, allowOrigin, addDeprecationHeaders, addNetworkQuota } =
    options;

  /**
   * Sends a 503. There are many 503s during an overload, so the function does very little. Only the
   * method and the age of the request are reported to the metrics and the usage counts.
   */
  function refuse(res: Response): void {
    const { req } = res;
    onShed(req.method, ageMs(res));
    beginRequest(req, res);
    allowOrigin(req, res);
    if (apiPath.test(req.url)) {
      addRouteDeprecation(req, res);
      addNetworkQuota(req, res);
    }
    addHeader(res, rateLimitHeaders.retryAfter, '1');
    addHeader(res, 'Content-Type', 'application/json; charset=utf-8');
    send(res.status(overloaded.status), overloadedBody);
  }

  function addRouteDeprecation(req: Request, res: Response): void {
    const { url } = req;
    // A response to HEAD has the headers of a response to GET (RFC 9110, §9.3.2).
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    for (const { route, pathname } of deprecatedRoutes) {
      const found = method === route.method && pathname.exec(url);
      if (found) addDeprecationHeaders({ tsRestRoute: route, params: found.groups ?? {} }, res);
    }
  }

  /**
   * Returns the caller in whose queue a request waits: the account or the API key if this replica
   * has cached a valid key, and the network otherwise.
   */
  function callerOf({ req }: Response): WaitingCaller {
    const token = tokenOf(req);
    const key = token === undefined ? undefined : keys.findCached(token);
    return key === undefined || key.refusal !== undefined
      ? { name: networkOf(req), group: 'networks' }
      : { name: key.accountId ?? key.id, group: 'keys' };
  }

  function answer(res: Response): void {
    recordQueueWait(res);
    res.locals.begin?.();
  }

  const handlers = { answer, callerOf, refuse };
  return function startOrWait(_req, res, next) {
    recordArrival(res, next);
    if (loadShedder.enter(res, handlers)) next();
  };
}
