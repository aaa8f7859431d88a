import { errorMessages, formatRateLimit, rateLimitHeaders } from '@animal-store/contract';
import type { Request, Response } from 'express';
import { networkOf } from '../http/client-network.ts';
import { HttpError } from '../http/http-error.ts';
import type { Quotas } from '../quotas/open-quotas.ts';
import type { QuotaResult } from '../quotas/quota-result.ts';

/** Creates the steps that count requests and report the caller's quota. */
export function createQuotaEnforcement({ keys, networks }: Quotas) {
  /** Reports the quota of the caller's network, as far as this replica knows it. Counts nothing. */
  function tellNetworkQuota(req: Request, res: Response): void {
    tellQuota(res, networks.peek(networkOf(req.ip, req.socket)));
  }

  return {
    tellNetworkQuota,

    /**
     * Counts the request and sets the rate-limit headers.
     *
     * @returns the refusal of a request over the quota. It is not thrown, which would take a tenth of
     * the time of such a request.
     */
    async enforceQuota(req: Request, res: Response): Promise<HttpError | undefined> {
      const { apiKey, operation } = res.locals;
      // This operation has a limit of its own, which its handler applies.
      if (operation === 'getRateLimit' && apiKey !== undefined) return undefined;
      const decision =
        res.locals.decision ??
        (apiKey === undefined
          ? await networks.take(networkOf(req.ip, req.socket))
          : await keys.consume(apiKey.id, 1, apiKey));
      res.locals.decision = decision;
      tellQuota(res, decision);
      return decision.outcome === 'admitted' ? undefined : refusal(decision);
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
  { reported, windows }: Pick<QuotaResult, 'reported' | 'windows'>,
): void {
  const headers = formatRateLimit(reported, windows);
  for (const name in headers) res.locals.headers.push(name, headers[name] as string);
}

/** The 429 for a request that was not admitted. */
export function refusal({ outcome, retryAfterSeconds, warned, reported }: QuotaResult): HttpError {
  const headers = { [rateLimitHeaders.retryAfter]: String(retryAfterSeconds) };
  if (outcome === 'banned') {
    return new HttpError(
      'key_temporarily_banned',
      errorMessages.key_temporarily_banned(retryAfterSeconds),
      { headers },
    );
  }
  const warning = warned
    ? ' If it keeps sending requests before then, this API key will be banned for a while.'
    : '';
  return new HttpError(
    'rate_limit_exceeded',
    errorMessages.rate_limit_exceeded(reported.limit, retryAfterSeconds) + warning,
    { headers },
  );
}
