import type { CallDetails } from './errors/animal-store-error.ts';
import { RateLimitError } from './errors/rate-limit-error.ts';
import type { Refusal } from './quota-gate.ts';

/** Creates the error of a call that was not sent: what the service would have answered. */
export function createRefusalError({ quota, waitMs }: Refusal, call: CallDetails): RateLimitError {
  const seconds = Math.ceil(waitMs / 1000);
  const headers = new Headers({
    'X-RateLimit-Limit': `${quota.limit}`,
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': `${quota.resetAt / 1000}`,
    'Retry-After': `${seconds}`,
  });
  const code = quota.isBanned ? 'key_temporarily_banned' : 'rate_limit_exceeded';
  const reason = quota.isBanned ? 'API key is banned' : 'quota is used up';
  const detail = `not sent, because the ${reason} for another ${seconds} s`;
  return new RateLimitError({ status: 429, code, detail, headers }, call);
}
