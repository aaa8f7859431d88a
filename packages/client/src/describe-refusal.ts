import type { ApiErrorDetails } from './errors/api-error.ts';
import type { Quota } from './read-quota.ts';

/** Describes why a request was not sent, as the service would have done. */
export function describeRefusal({ limit, resetAt, code }: Quota, waitMs: number): ApiErrorDetails {
  const seconds = Math.ceil(waitMs / 1000);
  return {
    status: 429,
    code,
    detail: `not sent, try again in ${seconds} s`,
    headers: new Headers({
      'X-RateLimit-Limit': `${limit}`,
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': `${resetAt / 1000}`,
      'Retry-After': `${seconds}`,
    }),
  };
}
