import type { ClientOptions } from './client-options.ts';
import { environment } from './environment.ts';
import { findLink } from './find-link.ts';
import type { ReportEvent } from './hooks.ts';
import type { HttpHeaders } from './http-headers.ts';
import { parseHttpDate } from './parse-http-date.ts';
import { findShared } from './shared-between-clients.ts';

const replacementOfGetPet = '(await store.listPets({ ids: [id] })).pets[0]';

/** A function that reads the headers of a response, and warns if the operation is deprecated. */
export type ReportDeprecation = (operation: string, headers: Pick<HttpHeaders, 'get'>) => void;

/**
 * Creates the function that warns about each deprecated operation. With an `onDeprecation` hook,
 * the client calls the hook once for each operation. Without a hook, the process prints one warning
 * for each operation.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export function createReportDeprecation(
  { onDeprecation }: ClientOptions,
  reportEvent: ReportEvent,
): ReportDeprecation {
  const known = onDeprecation ? new Set() : findShared().warned;

  return function reportDeprecation(operation, headers) {
    if (!headers.get('Deprecation') || known.has(operation)) return;
    known.add(operation);
    const { process } = environment;
    const sunset = parseHttpDate(headers, 'Sunset');
    const sunsetAt = sunset ? new Date(sunset) : undefined;
    const url = findLink(headers, 'deprecation');
    const ends = sunsetAt ? ` and ends on ${sunsetAt.toJSON().slice(0, 10)}` : '';
    // The function knows only the replacement of `getPet`, because `getPet` is the only deprecated
    // operation so far.
    const use = operation === 'getPet' ? ` Use ${replacementOfGetPet}.` : '';
    const see = url ? ` See ${url}` : '';
    const message = `Animal Store: ${operation} is deprecated${ends}.${use}${see}`;
    if (onDeprecation) reportEvent('onDeprecation', { operation, message, sunsetAt, url });
    // Node, Deno and Bun have `emitWarning`, which respects --no-deprecation and
    // --trace-deprecation.
    else if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning');
    // biome-ignore lint/suspicious/noConsole: browsers and workers have no other place for a warning.
    else console.warn(message);
  };
}
