import { rateLimitHeaders } from '@animal-store/contract';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import { malformedPath } from '../http/malformed-path.ts';
import { send } from '../http/send-response.ts';
import { takeTurn } from '../http/shed-load.ts';
import { ageMs } from '../http/track-request.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { AppOptions } from './app.ts';
import { createIdentification, missingPermission, missingScope } from './caller.ts';
import { allowOrigins, allowPreflight, isPreflight } from './cors.ts';
import { overQuota, tellQuota } from './tell-quota.ts';

const overloaded = new HttpError(
  'service_unavailable',
  'The service is overloaded. Retry after 1 s.',
);
/** A text, because Node writes a text together with the head: of bytes, it would make a second part. */
const overloadedBody = JSON.stringify(overloaded.toBody());
const overloadedHeaders = [
  ...[rateLimitHeaders.retryAfter, '1'],
  ...['Content-Type', 'application/json; charset=utf-8'],
];

/**
 * Creates what admits requests, or refuses them: the steps before anything of a request is read.
 *
 * Nothing is awaited that is known: each further turn of the event loop would cost a hot list 1 %.
 *
 * @param answerFailure answers a refusal at once. By `next`, it would pass through every further layer of the
 * route and the router, for a tenth of the time of a refused request.
 */
export function createAdmission(options: AppOptions, answerFailure: ErrorRequestHandler) {
  const { loadShedder, quotas, usage, onShed } = options;
  const { keys, networks, pages } = quotas;
  const allowOrigin = allowOrigins(options.corsOrigins);
  const announceEnd = announceDeprecation(options.baseUrl);
  const { identify, lookUp } = createIdentification(options.keys, networks);

  /** Reports the quota of the caller's network, as far as this replica knows it. Counts nothing. */
  function tellNetworkQuota(req: Request, res: Response): void {
    tellQuota(res, networks.peek(networkOf(req.ip, req.socket)));
  }

  /** Answers 503. There may be many, so it does little: nothing is logged or counted but their number. */
  function refuseOverload(req: Request, res: Response): void {
    res.locals.isUnobserved = true;
    onShed(req.method);
    usage.countShed(ageMs(res));
    res.locals.headers.push(...overloadedHeaders);
    send(res.status(overloaded.status), overloadedBody);
  }

  const admission = {
    tellNetworkQuota,

    /** Admits what is asked of the versioned API, if its caller may. */
    async admitCaller(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      announceEnd(req, res);

      const turn = takeTurn(loadShedder, req, res);
      if (turn !== true && !(await turn)) {
        tellNetworkQuota(req, res);
        return refuseOverload(req, res);
      }

      const { caller, unknownToken } = identify(req);
      res.locals.caller = caller;
      if (unknownToken !== undefined) await lookUp(caller, unknownToken, req);
      const { apiKey } = caller;

      // An operation that limits itself does so in its handler, which runs if the key has the scope.
      const isLimited =
        req.tsRestRoute?.metadata?.limitsItself !== true ||
        apiKey === undefined ||
        missingScope(apiKey, req) !== undefined;
      if (isLimited) {
        // A request without a valid key, or with a suspended one, counts against its network.
        caller.decision ??= await (apiKey === undefined
          ? networks.take(networkOf(req.ip, req.socket))
          : keys.take(apiKey));
        tellQuota(res, caller.decision);
      }

      const refusal =
        overQuota(caller.decision) ?? missingPermission(caller, req) ?? malformedPath(req);
      if (refusal === undefined) next();
      else answerFailure(refusal, req, res, next);
    },

    /**
     * Admits what is not asked of the versioned API: the reference, and paths that do not exist. Its limit is
     * apart from that of requests without a valid key: whoever has used up that one may need the reference.
     */
    async admitPage(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);

      const turn = takeTurn(loadShedder, req, res);
      if (turn !== true && !(await turn)) return refuseOverload(req, res);

      const refusal = overQuota(await pages.take(networkOf(req.ip, req.socket)));
      next(refusal);
    },

    /** Admits a file of the pages. It counts nothing: a browser asks for it once, as long as it stays the same. */
    async admitFile(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);

      const turn = takeTurn(loadShedder, req, res);
      if (turn === true || (await turn)) next();
      else refuseOverload(req, res);
    },

    /**
     * Admits OPTIONS, which need no key and count nothing: browsers send preflights without one. It answers
     * preflights; the request that follows counts.
     */
    async admitOptions(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      tellNetworkQuota(req, res);

      const turn = takeTurn(loadShedder, req, res);
      if (turn !== true && !(await turn)) return refuseOverload(req, res);

      if (!isPreflight(req)) return next();
      allowPreflight(req, res, options.corsOrigins);
      send(res.status(204));
    },

    /** Admits what is asked of a path of the API that does not exist: a browser asks before it calls it, too. */
    admitUnknown(req: Request, res: Response, next: NextFunction): Promise<void> {
      return isPreflight(req)
        ? admission.admitOptions(req, res, next)
        : admission.admitCaller(req, res, next);
    },
  };
  return admission;
}
