import type { QuotaDecision } from '@animal-store/quotas';
import { systemClock } from '@animal-store/runtime';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import { noteWait } from '../http/begin-request.ts';
import { networkOf } from '../http/client-network.ts';
import { malformedPath } from '../http/path-encoding.ts';
import { send } from '../http/send-response.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { ApiSettings } from './api-settings.ts';
import { allowOrigins, allowPreflight, isPreflight } from './cors.ts';
import { type Caller, createIdentification, type KnownKeys } from './identify-caller.ts';
import { missingPermission, missingScope } from './permission.ts';
import { addQuotaHeaders, overQuota } from './quota-response.ts';

export interface AdmissionOptions extends Pick<ApiSettings, 'corsOrigins'> {
  readonly keys: KnownKeys;
  readonly quotas: Quotas;
  /** The base URL of links, ending in `/v1`. */
  readonly baseUrl: string;
}

/**
 * Creates the steps that admit or refuse a request before its parameters and its body are read.
 *
 * @param answerFailure sends a refusal at once. With `next`, the refusal would pass through all
 * further layers of the router, which costs a tenth of the time of a refused request.
 */
export function createAdmission(options: AdmissionOptions, answerFailure: ErrorRequestHandler) {
  const { quotas } = options;
  const { keys, networks, pages, statusRequests } = quotas;
  const allowOrigin = allowOrigins(options.corsOrigins);
  const announceEnd = announceDeprecation(options.baseUrl);
  const identify = createIdentification(options.keys, networks);

  /**
   * Adds the quota of the caller's network to the headers, as far as this replica knows it. The
   * request is not counted.
   */
  function tellNetworkQuota(req: Request, res: Response): void {
    addQuotaHeaders(res, networks.peek(networkOf(req)));
  }

  /** Counts a request against the quota of its operation. */
  function takeQuota({ apiKey }: Caller, req: Request): Promise<QuotaDecision> {
    // A request without a valid key counts against its network, and so does one with a suspended
    // key.
    if (apiKey === undefined) return networks.take(networkOf(req));
    const isForStatus = req.tsRestRoute?.metadata?.quota === 'status';
    return isForStatus && missingScope(apiKey, req) === undefined
      ? statusRequests.take(apiKey.id)
      : keys.consume(apiKey);
  }

  const admission = {
    allowOrigin,
    announceEnd,
    tellNetworkQuota,

    /**
     * Admits a call of the versioned API if its caller may make it.
     *
     * A key in the cache is used without `await`: each further turn of the event loop would cost 1
     * % of the hot list's throughput.
     */
    async admitCaller(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      announceEnd(req, res);

      const beganAt = systemClock.elapsed();
      const identified = identify(req);
      const caller =
        identified instanceof Promise
          ? await identified.finally(() => noteWait(res, 'sqlMs', beganAt))
          : identified;
      res.locals.caller = caller;

      const askedAt = systemClock.elapsed();
      const decision = caller.denial ?? (await takeQuota(caller, req));
      noteWait(res, 'redisMs', askedAt);
      res.locals.decision = decision;
      addQuotaHeaders(res, decision);

      const refusal = overQuota(decision) ?? missingPermission(caller, req) ?? malformedPath(req);
      if (refusal === undefined) next();
      else answerFailure(refusal, req, res, next);
    },

    /**
     * Admits a request for the reference or for an unknown path outside `/v1`. Pages have a quota
     * of their own: callers who used up the quota for requests without a key may need the
     * reference.
     */
    async admitPage(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      next(overQuota(await pages.take(networkOf(req))));
    },

    /**
     * Admits a request for a static file of the pages. The request is not counted, because a
     * browser caches the file until its name changes.
     */
    admitFile(req: Request, res: Response, next: NextFunction): void {
      allowOrigin(req, res);
      next();
    },

    /**
     * Admits OPTIONS. OPTIONS needs no key and is not counted, because browsers send preflights
     * without a key. The request that follows a preflight is counted.
     */
    admitOptions(req: Request, res: Response, next: NextFunction): void {
      allowOrigin(req, res);
      tellNetworkQuota(req, res);
      if (!isPreflight(req)) {
        next();
        return;
      }
      allowPreflight(req, res, options.corsOrigins);
      send(res.status(204));
    },

    /**
     * Admits a request for an unknown path of the API. A browser sends a preflight to unknown
     * paths, too.
     */
    admitUnknown(req: Request, res: Response, next: NextFunction): void | Promise<void> {
      return isPreflight(req)
        ? admission.admitOptions(req, res, next)
        : admission.admitCaller(req, res, next);
    },
  };
  return admission;
}
