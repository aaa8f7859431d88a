import { errorMessages, rateLimitHeaders } from '@animal-store/contract';
import { HttpError } from '@animal-store/http-server';
import type { QuotaDecision } from '@animal-store/quotas';

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
