import type { Hook } from './client-options.ts';
import type { DeprecationEvent } from './events.ts';
import { findLink } from './find-link.ts';
import type { Hooks } from './hooks.ts';
import type { HttpHeaders } from './http-response.ts';

interface Globals {
  process?: { emitWarning?: (warning: string, type: string) => void };
}

/** Operations that this process was warned of, by whatever copy of this package. */
const warnedKey = Symbol.for('@animal-store/client/warned');

/** Looks at an answer, and tells if its operation is going away. */
export type NoticeDeprecation = (operation: string, headers: HttpHeaders) => void;

/**
 * Creates what tells of each deprecated operation: the handler once, or else everybody who runs the
 * process, once in its life.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export function createNoticeDeprecation(
  handler: Hook<DeprecationEvent> | undefined,
  tell: Hooks,
): NoticeDeprecation {
  const told = new Set<string>();

  return function noticeDeprecation(operation, headers) {
    if (headers.get('Deprecation') === null) return;
    const known = handler === undefined ? warnedInProcess() : told;
    if (known.has(operation)) return;
    known.add(operation);
    const event = readDeprecation(operation, headers);
    if (handler === undefined) warn(event.message);
    else tell('onDeprecation', handler, event);
  };
}

function warnedInProcess(): Set<string> {
  const globals = globalThis as { [warnedKey]?: Set<string> };
  globals[warnedKey] ??= new Set();
  return globals[warnedKey];
}

function readDeprecation(operation: string, headers: HttpHeaders): DeprecationEvent {
  const sunset = new Date(headers.get('Sunset') ?? Number.NaN);
  const sunsetAt = Number.isNaN(sunset.getTime()) ? undefined : sunset;
  const url = findLink(headers, 'deprecation');
  const ends = sunsetAt === undefined ? '' : ` and ends on ${sunsetAt.toISOString().slice(0, 10)}`;
  const see = url === undefined ? '' : ` See ${url}`;
  return {
    operation,
    message: `Animal Store: ${operation} is deprecated${ends}.${see}`,
    sunsetAt,
    url,
  };
}

function warn(message: string): void {
  // In Node, Deno and Bun: honours --no-deprecation and --trace-deprecation.
  const { process } = globalThis as Globals;
  if (typeof process?.emitWarning === 'function')
    process.emitWarning(message, 'DeprecationWarning');
  // biome-ignore lint/suspicious/noConsole: browsers and workers have no other place for a warning.
  else console.warn(message);
}
