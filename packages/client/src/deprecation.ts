import type { ClientOptions } from './client-options.ts';
import { findLink } from './find-link.ts';
import type { Tell } from './hooks.ts';
import type { HttpHeaders } from './http-response.ts';
import { findShared } from './shared-between-clients.ts';

interface Globals {
  process?: { emitWarning?: (warning: string, type: string) => void };
}

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
    if (headers.get('Deprecation') === null || known.has(operation)) return;
    known.add(operation);
    const sunset = new Date(headers.get('Sunset') ?? '');
    const sunsetAt = Number(sunset) > 0 ? sunset : undefined;
    const url = findLink(headers, 'deprecation');
    const ends = sunsetAt ? ` and ends on ${sunsetAt.toISOString().slice(0, 10)}` : '';
    const see = url ? ` See ${url}` : '';
    const message = `Animal Store: ${operation} is deprecated${ends}.${see}`;
    if (onDeprecation) tell('onDeprecation', { operation, message, sunsetAt, url });
    else warn(message);
  };
}

function warn(message: string): void {
  // In Node, Deno and Bun: honours --no-deprecation and --trace-deprecation.
  const { process } = globalThis as Globals;
  if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning');
  // biome-ignore lint/suspicious/noConsole: browsers and workers have no other place for a warning.
  else console.warn(message);
}
