import { windowSeconds } from './quota.ts';
import type { QuotaDecision } from './quota-decision.ts';

/**
 * Formats the headers that describe the caller's quota. `X-RateLimit-*` describe the most
 * restrictive window. `RateLimit-Policy` and `RateLimit` describe every window
 * (draft-ietf-httpapi-ratelimit-headers-10, §3 and §4). A refused request also gets `Retry-After`
 * (RFC 9110, §10.2.3).
 */
export function quotaHeaders(
  decision: Pick<QuotaDecision, 'reported' | 'windows' | 'retryAfterSeconds'>,
): Record<string, string> {
  const { reported, windows, retryAfterSeconds } = decision;
  // Every response needs these headers, so this code must be fast: a single loop formats all
  // windows.
  let policies = '';
  let states = '';
  for (const { name, limit, remaining, resetInSeconds } of windows) {
    if (policies !== '') {
      policies += ', ';
      states += ', ';
    }
    policies += `"${name}";q=${limit};w=${windowSeconds[name]}`;
    states += `"${name}";r=${remaining};t=${resetInSeconds}`;
  }
  const headers: Record<string, string> = {
    'X-RateLimit-Limit': String(reported.limit),
    'X-RateLimit-Remaining': String(reported.remaining),
    'X-RateLimit-Reset': String(reported.resetAt),
    'RateLimit-Policy': policies,
    RateLimit: states,
  };
  if (retryAfterSeconds > 0) headers['Retry-After'] = String(retryAfterSeconds);
  return headers;
}
