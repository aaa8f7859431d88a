import { errorMessages, formatRateLimit, rateLimitHeaders } from '@animal-store/contract';
import type { NextFunction, Request, Response } from 'express';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { QuotaDecision } from '../quotas/quota-decision.ts';
import { missingScope } from './authorize.ts';

/** Creates the steps that count requests and report the caller's quota. */
export function createQuotaEnforcement({ keys, networks, pages }: Quotas) {
  /** Reports the quota of the caller's network, as far as this replica knows it. Counts nothing. */
  function tellNetworkQuota(req: Request, res: Response): void {
    tellQuota(res, networks.peek(networkOf(req.ip, req.socket)));
  }

  return {
    tellNetworkQuota,

    /** Counts the request and sets the rate-limit headers. Refuses it if it is over the quota. */
    async enforceQuota(req: Request, res: Response, next: NextFunction): Promise<void> {
      const { apiKey } = res.locals;
      // Without the scope, the handler that would limit it does not run.
      const limitsItself = req.tsRestRoute?.metadata?.limitsItself === true;
      if (limitsItself && apiKey !== undefined && missingScope(apiKey, req) === undefined) {
        return next();
      }
      const decision =
        res.locals.decision ??
        (apiKey === undefined
          ? await networks.take(networkOf(req.ip, req.socket))
          : await keys.take(apiKey));
      res.locals.decision = decision;
      tellQuota(res, decision);
      next(decision.outcome === 'admitted' ? undefined : refusal(decision));
    },

    /**
     * Counts a request that is not one of the versioned API. Its limit is apart from that of requests
     * without a valid key: whoever has used up that one may need the reference.
     */
    async enforcePageLimit(req: Request, _res: Response, next: NextFunction): Promise<void> {
      const decision = await pages.take(networkOf(req.ip, req.socket));
      next(decision.outcome === 'admitted' ? undefined : refusal(decision));
    },

    /** Reports the quota of the caller's network if the request failed before it was counted. */
    tellQuotaOnFailure(req: Request, res: Response): void {
      if (!res.locals.headers.includes(rateLimitHeaders.limit)) tellNetworkQuota(req, res);
    },
  };
}

/** Sets the headers of a quota. */
export function tellQuota(
  res: Response,
  { reported, windows }: Pick<QuotaDecision, 'reported' | 'windows'>,
): void {
  const headers = formatRateLimit(reported, windows);
  // No response has them yet, so they need not be looked for.
  for (const name in headers) res.locals.headers.push(name, headers[name] as string);
}

/** The 429 for a request that was not admitted. */
export function refusal({
  outcome,
  retryAfterSeconds,
  warned,
  reported,
}: QuotaDecision): HttpError {
  const headers = { [rateLimitHeaders.retryAfter]: String(retryAfterSeconds) };
  if (outcome === 'banned') {
    return new HttpError(
      'key_temporarily_banned',
      errorMessages.key_temporarily_banned(reported.resetAt, retryAfterSeconds),
      { headers },
    );
  }
  const warning = warned
    ? ' If it keeps sending requests before then, this API key will be banned for a while.'
    : '';
  return new HttpError(
    'rate_limit_exceeded',
    errorMessages.rate_limit_exceeded(reported, retryAfterSeconds) + warning,
    { headers },
  );
}
