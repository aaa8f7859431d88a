import { errorMessages, formatRateLimit, rateLimitHeaders } from '@animal-store/contract';
import type { QuotaDecision } from '@animal-store/quotas';
import type { Response } from 'express';
import { addHeader, hasHeader, setHeader } from '../http/collected-headers.ts';
import { HttpError } from '../http/http-error.ts';

type ReportedQuota = Pick<QuotaDecision, 'reported' | 'windows'>;

/** Adds the rate-limit headers to a response that does not have them yet. */
export function addQuotaHeaders(res: Response, { reported, windows }: ReportedQuota): void {
  const headers = formatRateLimit(reported, windows);
  for (const name in headers) addHeader(res, name, headers[name] as string);
}

/**
 * Replaces the rate-limit headers of a response. The new headers describe a quota that the request
 * itself does not use, as in `GET /v1/rate-limit`.
 */
export function replaceQuotaHeaders(res: Response, { reported, windows }: ReportedQuota): void {
  const headers = formatRateLimit(reported, windows);
  for (const name in headers) setHeader(res, name, headers[name] as string);
}

export function hasQuotaHeaders(res: Response): boolean {
  return hasHeader(res, rateLimitHeaders.limit);
}

/**
 * Returns the 429 error for a request over its quota. Returns `undefined` for an admitted request.
 */
export function overQuota(decision: QuotaDecision): HttpError | undefined {
  if (decision.outcome === 'admitted') return undefined;
  const { outcome, retryAfterSeconds, warned, reported } = decision;
  const headers = { [rateLimitHeaders.retryAfter]: String(retryAfterSeconds) };
  if (outcome === 'banned') {
    return new HttpError(
      'key_temporarily_banned',
      errorMessages.key_temporarily_banned(reported.resetAt, retryAfterSeconds),
      { headers },
    );
  }
  const warning = warned
    ? ' If this API key keeps sending requests instead of waiting, the key will be temporarily banned.'
    : '';
  return new HttpError(
    'rate_limit_exceeded',
    errorMessages.rate_limit_exceeded(reported, retryAfterSeconds) + warning,
    { headers },
  );
}
