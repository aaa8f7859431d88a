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
  /** The base address that links show, ending in `/v1`. */
  readonly baseUrl: string;
}

/**
 * Creates what admits requests, or refuses them: the steps before anything of a request is read.
 *
 * @param answerFailure answers a refusal at once. By `next`, it would pass through every further layer of the
 * route and the router, for a tenth of the time of a refused request.
 */
export function createAdmission(options: AdmissionOptions, answerFailure: ErrorRequestHandler) {
  const { quotas } = options;
  const { keys, networks, pages, statusRequests } = quotas;
  const allowOrigin = allowOrigins(options.corsOrigins);
  const announceEnd = announceDeprecation(options.baseUrl);
  const identify = createIdentification(options.keys, networks);

  /** Reports the quota of the caller's network, as far as this replica knows it. Counts nothing. */
  function tellNetworkQuota(req: Request, res: Response): void {
    addQuotaHeaders(res, networks.peek(networkOf(req)));
  }

  /** Counts a request against the quota that its operation uses. */
  function takeQuota({ apiKey }: Caller, req: Request): Promise<QuotaDecision> {
    // A request without a valid key, or with a suspended one, counts against its network.
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
     * Admits a call of the versioned API, if its caller may make it.
     *
     * A key that is known is not awaited: each further turn of the event loop would cost a hot list 1 %.
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
     * Admits what is not asked of the versioned API: the reference, and paths that do not exist. Its limit is
     * apart from that of requests without a valid key: whoever has used up that one may need the reference.
     */
    async admitPage(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      next(overQuota(await pages.take(networkOf(req))));
    },

    /** Admits a file of the pages. It counts nothing: a browser asks for it once, as long as it stays the same. */
    admitFile(req: Request, res: Response, next: NextFunction): void {
      allowOrigin(req, res);
      next();
    },

    /**
     * Admits OPTIONS, which need no key and count nothing: browsers send preflights without one. It answers
     * preflights; the request that follows counts.
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

    /** Admits what is asked of a path of the API that does not exist: a browser asks before it calls it, too. */
    admitUnknown(req: Request, res: Response, next: NextFunction): void | Promise<void> {
      return isPreflight(req)
        ? admission.admitOptions(req, res, next)
        : admission.admitCaller(req, res, next);
    },
  };
  return admission;
}
