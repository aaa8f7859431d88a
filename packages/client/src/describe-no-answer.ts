import { environment } from './environment.ts';

/**
 * Describes a failed connection. In Node, the error of `fetch` has a cause with a code, such as
 * ECONNREFUSED. Browsers reveal neither the cause nor whether CORS blocked the response. So the
 * text names what can be known: that there is no network, or that the page has another origin.
 *
 * @param failure the error of `fetch`, without the API key.
 */
export function describeNoAnswer(baseUrl: string, failure: unknown): string {
  const { location, navigator } = environment;
  const origin = location?.origin;
  const { cause, code = Object(cause).code } = Object(failure);
  const hint = code
    ? ` (${code})`
    : navigator?.onLine === false
      ? ' (offline)'
      : origin && !baseUrl.startsWith(`${origin}/`)
        ? ` (CORS: is ${origin} allowed?)`
        : '';
  return `no response from ${baseUrl}${hint}`;
}
