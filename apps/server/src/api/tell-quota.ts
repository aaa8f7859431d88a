import { errorMessages, formatRateLimit, rateLimitHeaders } from '@animal-store/contract';
import type { Response } from 'express';
import { HttpError } from '../http/http-error.ts';
import type { QuotaDecision } from '../quotas/quota-decision.ts';

/** Sets the headers of a quota. */
export function tellQuota(
  { locals }: Response,
  { reported, windows }: Pick<QuotaDecision, 'reported' | 'windows'>,
): void {
  const headers = formatRateLimit(reported, windows);
  // No response has them yet, so they need not be looked for.
  for (const name in headers) locals.headers.push(name, headers[name] as string);
}

/** Whether a response has the headers of a quota. */
export function tellsQuota({ locals }: Response): boolean {
  return locals.headers.includes(rateLimitHeaders.limit);
}

/** The 429 for a request that was not admitted; `undefined` if it was. */
export function overQuota(decision: QuotaDecision | undefined): HttpError | undefined {
  if (decision === undefined || decision.outcome === 'admitted') return undefined;
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
    ? ' If it keeps sending requests before then, this API key will be banned for a while.'
    : '';
  return new HttpError(
    'rate_limit_exceeded',
    errorMessages.rate_limit_exceeded(reported, retryAfterSeconds) + warning,
    { headers },
  );
}
