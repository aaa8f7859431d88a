import type { CallDetails } from './errors/animal-store-error.ts';
import { RateLimitError } from './errors/rate-limit-error.ts';
import type { Refusal } from './quota-gate.ts';

/** Creates the error of a call that was not sent: what the service would have answered. */
export function createRefusalError({ quota, waitMs }: Refusal, call: CallDetails): RateLimitError {
  const seconds = Math.ceil(waitMs / 1000);
  const headers = new Headers({
    'X-RateLimit-Limit': String(quota.limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(quota.resetAt / 1000),
    'Retry-After': String(seconds),
  });
  const [code, reason] = quota.isBanned
    ? (['key_temporarily_banned', 'the API key is banned'] as const)
    : (['rate_limit_exceeded', 'the quota is used up'] as const);
  const detail = `not sent, because ${reason} for another ${seconds} s`;
  return new RateLimitError({ status: 429, code, detail, headers }, call);
}
