import type { ApiErrorDetails } from './errors/api-error.ts';
import type { TightestWindow } from './read-tightest-window.ts';

/**
 * Describes why the client did not send a request, in the form of the 429 response that the service
 * would have sent.
 */
export function describeRefusal(
  { limit, resetAt, code }: TightestWindow,
  waitMs: number,
): ApiErrorDetails {
  // The service rounds `Retry-After` up to whole seconds, and so does the client.
  const seconds = Math.ceil(waitMs / 1000);
  return {
    status: 429,
    code,
    detail: `the client did not send the request: retry after ${seconds} s`,
    headers: new Headers(),
    retryAfterMs: seconds * 1000,
    ...(limit < 1 / 0 && { limit, remaining: 0, resetAt }),
  };
}
