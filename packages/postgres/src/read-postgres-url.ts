import { StartupError } from '@animal-store/runtime';
import { type PostgresUrl, parsePostgresUrl } from './postgres-url.ts';

/**
 * Parses the `postgres://…` URL of the setting `DATABASE_URL`.
 *
 * @throws {StartupError} if the URL is invalid, or has a refused parameter.
 */
export function readPostgresUrl(text: string): PostgresUrl {
  const url = parsePostgresUrl(text);
  if (typeof url === 'string') throw new StartupError(`DATABASE_URL: ${url}`);
  return url;
}
