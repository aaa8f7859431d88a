import { environment } from './environment.ts';

/**
 * Describes a failed connection for an error message. In Node, the error of `fetch` has a cause
 * with a code, such as ECONNREFUSED, or only with a message, such as "bad port" for port 6000.
 * Browsers reveal neither the cause nor whether CORS blocked the response. For them, the text says
 * only that the device is offline, or that CORS may be the reason.
 *
 * @param failure the error of `fetch`, without the API key.
 */
export function describeFailedConnection(baseUrl: string, failure: unknown): string {
  const { location, navigator } = environment;
  const origin = location?.origin;
  const { cause, code } = Object(failure);
  const inner = Object(cause);
  // A message with an address may contain a query or a password, which do not belong in logs.
  // Deno writes the reason behind the address: "error sending request for url (…): dns error: …".
  const reason = code || inner.code || /(?:^|\): )([^/?@]{1,80})$/.exec(inner.message ?? '')?.[1];
  const hint = reason
    ? ` (${reason})`
    : navigator?.onLine === false
      ? ' (offline)'
      : origin && !baseUrl.startsWith(`${origin}/`)
        ? ` (CORS: is ${origin} allowed?)`
        : '';
  return `no complete response from ${baseUrl}${hint}`;
}
