import { rateLimitHeaders } from '@animal-store/contract';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import { ageMs } from '../http/begin-request.ts';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import { malformedPath } from '../http/malformed-path.ts';
import { addHeader } from '../http/note-headers.ts';
import { send } from '../http/send-response.ts';
import type { QuotaDecision } from '../quotas/quota-decision.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { AppOptions } from './app.ts';
import { type Caller, createIdentification } from './caller.ts';
import { allowOrigins, allowPreflight, isPreflight } from './cors.ts';
import { missingPermission, missingScope } from './permission.ts';
import { addQuotaHeaders, overQuota } from './quota-response.ts';

const overloaded = new HttpError(
  'service_unavailable',
  'The service is overloaded. Retry after 1 s.',
);
/** A text, because Node writes a text together with the head: of bytes, it would make a second part. */
const overloadedBody = JSON.stringify(overloaded.toBody());

/**
 * Creates what admits requests, or refuses them: the steps before anything of a request is read.
 *
 * @param answerFailure answers a refusal at once. By `next`, it would pass through every further layer of the
 * route and the router, for a tenth of the time of a refused request.
 */
export function createAdmission(options: AppOptions, answerFailure: ErrorRequestHandler) {
  const { loadShedder, quotas, usage, onShed } = options;
  const { keys, networks, pages, statusRequests } = quotas;
  const allowOrigin = allowOrigins(options.corsOrigins);
  const announceEnd = announceDeprecation(options.baseUrl);
  const identify = createIdentification(options.keys, networks);

  /** Reports the quota of the caller's network, as far as this replica knows it. Counts nothing. */
  function tellNetworkQuota(req: Request, res: Response): void {
    addQuotaHeaders(res, networks.peek(networkOf(req.ip, req.socket)));
  }

  /** Answers 503. There may be many, so it does little: nothing is logged or counted but their number. */
  function refuseOverload(req: Request, res: Response): void {
    res.locals.isUnobserved = true;
    onShed(req.method);
    usage.countShed(ageMs(res));
    addHeader(res, rateLimitHeaders.retryAfter, '1');
    addHeader(res, 'Content-Type', 'application/json; charset=utf-8');
    send(res.status(overloaded.status), overloadedBody);
  }

  function refuseOverloadedCall(req: Request, res: Response): void {
    tellNetworkQuota(req, res);
    refuseOverload(req, res);
  }

  /** Waits for a request's turn. If that takes too long, it refuses the request, and the result is false. */
  function takeTurn(req: Request, res: Response, refuse = refuseOverload): true | Promise<boolean> {
    const turn = loadShedder.enter(res);
    if (turn === true) return true;
    return turn.then((isItsTurn) => {
      if (!isItsTurn) refuse(req, res);
      return isItsTurn;
    });
  }

  /** Counts a request against the quota that its operation uses. */
  function takeQuota({ apiKey }: Caller, req: Request): Promise<QuotaDecision> {
    // A request without a valid key, or with a suspended one, counts against its network.
    if (apiKey === undefined) return networks.take(networkOf(req.ip, req.socket));
    const isForStatus = req.tsRestRoute?.metadata?.quota === 'status';
    return isForStatus && missingScope(apiKey, req) === undefined
      ? statusRequests.take(apiKey.id)
      : keys.take(apiKey);
  }

  const admission = {
    tellNetworkQuota,

    /**
     * Admits what is asked of the versioned API, if its caller may.
     *
     * Nothing is awaited that is known: each further turn of the event loop would cost a hot list 1 %.
     */
    async admitCaller(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      announceEnd(req, res);

      const turn = takeTurn(req, res, refuseOverloadedCall);
      if (turn !== true && !(await turn)) return;

      const identified = identify(req);
      const caller = identified instanceof Promise ? await identified : identified;
      res.locals.caller = caller;

      const decision = caller.denial ?? (await takeQuota(caller, req));
      res.locals.decision = decision;
      addQuotaHeaders(res, decision);

      const refusal = overQuota(decision) ?? missingPermission(caller, req) ?? malformedPath(req);
      if (refusal === undefined) next();
      else answerFailure(refusal, req, res, next);
    },

    /**
     * Admits what is not asked of the versioned API: the reference, and paths that do not exist. Its limit is
     * apart from that of requests without a valid key: whoever has used up that one may need the reference.
     */
    async admitPage(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      if (!(await takeTurn(req, res))) return;
      next(overQuota(await pages.take(networkOf(req.ip, req.socket))));
    },

    /** Admits a file of the pages. It counts nothing: a browser asks for it once, as long as it stays the same. */
    async admitFile(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      if (await takeTurn(req, res)) next();
    },

    /**
     * Admits OPTIONS, which need no key and count nothing: browsers send preflights without one. It answers
     * preflights; the request that follows counts.
     */
    async admitOptions(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      tellNetworkQuota(req, res);
      if (!(await takeTurn(req, res))) return;
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
