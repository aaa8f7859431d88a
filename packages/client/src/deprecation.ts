import type { ClientOptions } from './client-options.ts';
import { environment } from './environment.ts';
import { findLink } from './find-link.ts';
import type { Tell } from './hooks.ts';
import type { HttpHeaders } from './http-headers.ts';
import { parseHttpDate } from './parse-http-date.ts';
import { findShared } from './shared-between-clients.ts';

const insteadOfGetPet = '(await store.listPets({ ids: [id] })).pets[0]';

/** Looks at an answer, and tells if its operation is going away. */
export type NoticeDeprecation = (operation: string, headers: Pick<HttpHeaders, 'get'>) => void;

/**
 * Creates what tells of each deprecated operation: the hook once, or without one the process, once in
 * its life.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export function createNoticeDeprecation(
  { onDeprecation }: ClientOptions,
  tell: Tell,
): NoticeDeprecation {
  const known = onDeprecation ? new Set() : findShared().warned;

  return function noticeDeprecation(operation, headers) {
    if (!headers.get('Deprecation') || known.has(operation)) return;
    known.add(operation);
    const { process } = environment;
    const sunset = parseHttpDate(headers, 'Sunset');
    const sunsetAt = sunset ? new Date(sunset) : undefined;
    const url = findLink(headers, 'deprecation');
    const ends = sunsetAt ? ` and ends on ${sunsetAt.toJSON().slice(0, 10)}` : '';
    // The only one so far.
    const use = operation === 'getPet' ? ` Use ${insteadOfGetPet}.` : '';
    const see = url ? ` See ${url}` : '';
    const message = `Animal Store: ${operation} is deprecated${ends}.${use}${see}`;
    if (onDeprecation) tell('onDeprecation', { operation, message, sunsetAt, url });
    // In Node, Deno and Bun: honours --no-deprecation and --trace-deprecation.
    else if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning');
    // biome-ignore lint/suspicious/noConsole: browsers and workers have no other place for a warning.
    else console.warn(message);
  };
}
