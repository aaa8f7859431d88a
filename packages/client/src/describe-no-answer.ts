import { environment } from './environment.ts';

/**
 * Describes a connection that failed. Node says why: its `fetch` throws an error whose cause has a code,
 * such as ECONNREFUSED. Browsers tell scripts neither that nor whether it was CORS, so this names what can
 * be known: that there is no network, or that the page is of another origin.
 *
 * @param failure what `fetch` threw, without the API key.
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
  return `no answer from ${baseUrl}${hint}`;
}
