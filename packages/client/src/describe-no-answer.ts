import { environment } from './environment.ts';

/**
 * Describes a connection that failed. Browsers tell scripts neither why nor whether it was CORS, so this
 * names what can be known: that there is no network, or that the page is of another origin.
 */
export function describeNoAnswer(baseUrl: string): string {
  const { location, navigator } = environment;
  const origin = location?.origin;
  const hint =
    navigator?.onLine === false
      ? ' (offline)'
      : origin && !baseUrl.startsWith(`${origin}/`)
        ? ` (CORS: is ${origin} allowed?)`
        : '';
  return `no answer from ${baseUrl}${hint}`;
}
