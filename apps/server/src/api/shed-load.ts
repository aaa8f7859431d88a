import { apiVersion, operations, rateLimitHeaders } from '@animal-store/contract';
import type { Request, RequestHandler, Response } from 'express';
import { ageMs, arriveNow, beginRequest, noteWait } from '../http/begin-request.ts';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import type { LoadShedder } from '../http/load-shedder.ts';
import { addHeader } from '../http/note-headers.ts';
import type { ContractRoute } from '../http/request-locals.ts';
import { send } from '../http/send-response.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import type { createAdmission } from './admission.ts';
import { tokenOf } from './identify-caller.ts';

const overloaded = new HttpError(
  'service_unavailable',
  'The service is overloaded. Retry after 1 s.',
);
/**
 * The body is a string, because Node writes a string and the head of the response together. A
 * buffer would need a second write.
 */
const overloadedBody = JSON.stringify(overloaded.toBody());

/** `/v1` and the paths below it. */
const apiPath = new RegExp(`^/${apiVersion}(?:[/?]|$)`);

/**
 * The deprecated operations with patterns of their paths. A 503 is sent before Express has found
 * the route.
 */
const endingRoutes = Object.values<ContractRoute>(operations)
  .filter(({ metadata }) => metadata?.deprecation !== undefined)
  .map((route) => {
    const pattern = route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/?]+)');
    return { route, pathname: new RegExp(`^/${apiVersion}${pattern}(?:\\?|$)`) };
  });

export interface LoadSheddingOptions {
  readonly loadShedder: Pick<LoadShedder, 'enter'>;
  readonly keys: Pick<KeyCache, 'recall'>;
  /**
   * Called, instead of the observers in `onEnd`, for each request that is refused because of
   * overload.
   */
  readonly onShed: (method: string, durationMs: number) => void;
}

/**
 * Creates the middleware that lets a request wait for its turn while the service is overloaded, or
 * refuses it with 503. It is the first one, before the log: when thousands of callers do not back
 * off, a refusal must be much cheaper than a response.
 */
export function shedLoad(
  options: LoadSheddingOptions &
    Pick<ReturnType<typeof createAdmission>, 'allowOrigin' | 'announceEnd' | 'tellNetworkQuota'>,
): RequestHandler {
  const { keys, loadShedder, onShed, allowOrigin, announceEnd, tellNetworkQuota } = options;

  /**
   * Sends 503. An overload causes many of these, so this function does little: observers learn only
   * the method and the age of the request.
   */
  function refuse(res: Response): void {
    const { req } = res;
    onShed(req.method, ageMs(res));
    beginRequest(req, res);
    allowOrigin(req, res);
    if (apiPath.test(req.url)) {
      announceRouteEnd(req, res);
      tellNetworkQuota(req, res);
    }
    addHeader(res, rateLimitHeaders.retryAfter, '1');
    addHeader(res, 'Content-Type', 'application/json; charset=utf-8');
    send(res.status(overloaded.status), overloadedBody);
  }

  function announceRouteEnd({ method, url }: Request, res: Response): void {
    for (const { route, pathname } of endingRoutes) {
      const found = method === route.method && pathname.exec(url);
      if (found) announceEnd({ tsRestRoute: route, params: found.groups ?? {} }, res);
    }
  }

  /**
   * Returns the name of the queue that a request waits in: its account or key if this replica has
   * cached the key, otherwise its network.
   */
  function callerOf({ req }: Response): string {
    const token = tokenOf(req);
    const key = token === undefined ? undefined : keys.recall(token);
    return key === undefined ? networkOf(req) : `key ${key.accountId ?? key.id}`;
  }

  function answer(res: Response): void {
    noteWait(res, 'queueMs', res.locals.arrivedAt);
    res.locals.begin?.();
  }

  const turn = { answer, callerOf, refuse };
  return function takeTurn(_req, res, next) {
    arriveNow(res, next);
    if (loadShedder.enter(res, turn)) next();
  };
}
