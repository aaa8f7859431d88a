import {
  beginWait,
  endWait,
  malformedPath,
  networkOf,
  send,
  timed,
} from '@animal-store/http-server';
import type { QuotaDecision } from '@animal-store/quotas';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import type { ServiceQuotas } from '../quotas/open-quotas.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { ApiSettings } from './api-settings.ts';
import { allowOrigins, allowOriginsInCaches, allowPreflight, isPreflight } from './cors.ts';
import { type Caller, createIdentification, type KeyFinder } from './identify-caller.ts';
import { missingPermission, missingScope } from './permission.ts';
import { addQuotaHeaders } from './quota-response-headers.ts';
import { overQuota } from './too-many-requests.ts';

export interface AdmissionOptions extends Pick<ApiSettings, 'corsOrigins'> {
  readonly keys: KeyFinder;
  readonly quotas: ServiceQuotas;
  /** The base URL of links in responses, ending in `/v1`. */
  readonly baseUrl: string;
}

/**
 * Creates the middleware that admits or refuses a request before its parameters and its body are
 * read.
 *
 * @param answerFailure a function that sends an error response directly. With `next`, the error
 * would pass through all further layers of the router, and a refused request would take about 10 %
 * longer.
 */
export function createAdmission(options: AdmissionOptions, answerFailure: ErrorRequestHandler) {
  const { quotas } = options;
  const { keys, networks, pages, statusRequests } = quotas;
  const allowOrigin = allowOrigins(options.corsOrigins);
  const allowOriginInCaches = allowOriginsInCaches(options.corsOrigins);
  const addDeprecationHeaders = announceDeprecation(options.baseUrl);
  const identify = createIdentification(options.keys, networks);

  /**
   * Adds the quota of the caller's network to the response headers. The values are the last ones
   * that this replica has seen. The request is not counted, so the function does not query Redis.
   */
  function addNetworkQuota(req: Request, res: Response): void {
    addQuotaHeaders(res, networks.peek(networkOf(req)));
  }

  /** Counts a request against the quota that its operation uses, and returns the decision. */
  function takeQuota({ apiKey }: Caller, req: Request): Promise<QuotaDecision> {
    // Requests without a valid API key, or with a suspended key, are counted against their network.
    if (apiKey === undefined) return networks.take(networkOf(req));
    const usesStatusQuota = req.tsRestRoute?.metadata?.quota === 'status';
    return usesStatusQuota && missingScope(apiKey, req) === undefined
      ? statusRequests.take(apiKey.id)
      : keys.consume(apiKey);
  }

  const admission = {
    allowOrigin,
    addDeprecationHeaders,
    addNetworkQuota,

    /**
     * Admits or refuses a request to an operation of the API.
     *
     * If the API key is in the cache, the caller is identified without `await`. An additional
     * `await` would cost 1 % of the throughput of `GET /pets`.
     */
    async admitCaller(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOrigin(req, res);
      addDeprecationHeaders(req, res);

      const identified = identify(req);
      const caller =
        identified instanceof Promise ? await timed(res, 'sqlMs', identified) : identified;
      res.locals.caller = caller;

      beginWait(res, 'redisMs');
      const decision = caller.denial ?? (await takeQuota(caller, req));
      endWait(res);
      res.locals.decision = decision;
      addQuotaHeaders(res, decision);

      const refusal = overQuota(decision) ?? missingPermission(caller, req) ?? malformedPath(req);
      if (refusal === undefined) next();
      else answerFailure(refusal, req, res, next);
    },

    /**
     * Admits or refuses a request for a documentation page or for an unknown path outside `/v1`.
     * Documentation pages have a separate quota, because callers who have used up the quota for
     * requests without an API key may need the documentation.
     */
    async admitPage(req: Request, res: Response, next: NextFunction): Promise<void> {
      allowOriginInCaches(req, res);
      next(overQuota(await timed(res, 'redisMs', pages.take(networkOf(req)))));
    },

    /**
     * Admits a request for a static file of the documentation. The request is not counted, because
     * browsers cache the file until its name changes.
     */
    admitFile(req: Request, res: Response, next: NextFunction): void {
      allowOriginInCaches(req, res);
      next();
    },

    /**
     * Admits an OPTIONS request to an operation of the API. The response shows the quota of the
     * caller's network.
     */
    admitOptions(req: Request, res: Response, next: NextFunction): void {
      addNetworkQuota(req, res);
      admission.admitPageOptions(req, res, next);
    },

    /**
     * Admits an OPTIONS request. OPTIONS needs no API key and is not counted, because browsers send
     * CORS preflights without a key. The request after a preflight is counted.
     */
    admitPageOptions(req: Request, res: Response, next: NextFunction): void {
      allowOrigin(req, res);
      if (!isPreflight(req)) {
        next();
        return;
      }
      allowPreflight(req, res, options.corsOrigins);
      send(res.status(204));
    },

    /**
     * Admits or refuses a request for an unknown path of the API. A preflight (OPTIONS) is
     * admitted, because browsers also send preflights for unknown paths.
     */
    admitUnknown(req: Request, res: Response, next: NextFunction): void | Promise<void> {
      return isPreflight(req)
        ? admission.admitOptions(req, res, next)
        : admission.admitCaller(req, res, next);
    },
  };
  return admission;
}
