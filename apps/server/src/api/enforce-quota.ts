import { errorMessages, formatRateLimit, rateLimitHeaders } from '@animal-store/contract';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../http/api-error.ts';
import { networkOf } from '../http/client-network.ts';
import type { QuotaDecision, Quotas } from '../quotas/quotas.ts';

/** Counts the request, tells the caller how it stands, and refuses what is over the quota. */
export function enforceQuota(quotas: Quotas): RequestHandler {
  return async function countRequest(req, res, next) {
    const { apiKey } = res.locals;
    const decision =
      apiKey === undefined
        ? await quotas.takeForAddress(networkOf(req.ip, req.socket))
        : await quotas.takeForKey(apiKey);
    res.locals.decision = decision;
    tellQuota(res, decision);
    if (decision.outcome === 'admitted') return next();
    throw refusal(decision);
  };
}

/** Tells how the caller's address stands, on a failure to find out whose key it is. */
export function showQuotaOnFailure(quotas: Quotas): ErrorRequestHandler {
  return async function showQuota(failure: unknown, req, res, next) {
    if (!res.hasHeader(rateLimitHeaders.limit)) await tellAddressQuota(quotas, req, res);
    next(failure);
  };
}

/** Tells how the caller's address stands, and counts nothing. */
export async function tellAddressQuota(quotas: Quotas, req: Request, res: Response): Promise<void> {
  tellQuota(res, await quotas.peekAddress(networkOf(req.ip, req.socket)));
}

function tellQuota(res: Response, { reported, windows }: QuotaDecision): void {
  const headers = formatRateLimit(reported, windows);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

function refusal({ outcome, retryAfterSeconds, warned, reported }: QuotaDecision): ApiError {
  const headers = { [rateLimitHeaders.retryAfter]: String(retryAfterSeconds) };
  if (outcome === 'banned') {
    return new ApiError(
      'key_temporarily_banned',
      errorMessages.key_temporarily_banned(retryAfterSeconds),
      { headers },
    );
  }
  const warning = warned
    ? ' If it keeps sending requests before then, this API key will be banned for a while.'
    : '';
  return new ApiError(
    'rate_limit_exceeded',
    errorMessages.rate_limit_exceeded(reported.limit, retryAfterSeconds) + warning,
    { headers },
  );
}
