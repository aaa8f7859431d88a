import { formatRateLimit, rateLimitHeaders } from '@animal-store/contract';
import { addHeader, hasHeader, setHeader } from '@animal-store/http-server';
import type { QuotaDecision } from '@animal-store/quotas';
import type { Response } from 'express';

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
