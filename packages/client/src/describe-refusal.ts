import type { ApiErrorDetails } from './errors/api-error.ts';
import type { TightestWindow } from './read-tightest-window.ts';

/** Describes why a request was not sent, with the quota state that its response would have had. */
export function describeRefusal(
  { limit, resetAt, code }: TightestWindow,
  waitMs: number,
): ApiErrorDetails {
  // The time is rounded up, as in the service.
  const seconds = Math.ceil(waitMs / 1000);
  return {
    status: 429,
    code,
    detail: `not sent, retry in ${seconds} s`,
    headers: new Headers(),
    retryAfterMs: seconds * 1000,
    ...(limit < 1 / 0 && { limit, remaining: 0, resetAt }),
  };
}
