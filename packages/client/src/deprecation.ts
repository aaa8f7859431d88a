import { findLink, type OperationName } from '@animal-store/contract';
import type { DeprecationEvent } from './events.ts';

interface Globals {
  process?: { emitWarning?: (warning: string, type: string) => void };
}

/** Operations that this process was warned of, by whatever copy of this package. */
const warnedKey = Symbol.for('@animal-store/client/warned');

/** Looks at an answer, and tells if its operation is going away. */
export type NoticeDeprecation = (operation: OperationName, headers: Headers) => void;

/**
 * Creates what tells of each deprecated operation: the handler once, or else everybody who runs the
 * process, once in its life.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export function createNoticeDeprecation(
  handler: ((event: DeprecationEvent) => void) | undefined,
): NoticeDeprecation {
  const told = new Set<OperationName>();

  return function noticeDeprecation(operation, headers) {
    if (!headers.has('Deprecation')) return;
    const known = handler === undefined ? warnedInProcess() : told;
    if (known.has(operation)) return;
    known.add(operation);
    const event = readDeprecation(operation, headers);
    if (handler === undefined) warn(event.message);
    else handler(event);
  };
}

function warnedInProcess(): Set<OperationName> {
  const globals = globalThis as { [warnedKey]?: Set<OperationName> };
  globals[warnedKey] ??= new Set();
  return globals[warnedKey];
}

function readDeprecation(operation: OperationName, headers: Headers): DeprecationEvent {
  const sunset = new Date(headers.get('Sunset') ?? Number.NaN);
  const sunsetAt = Number.isNaN(sunset.getTime()) ? undefined : sunset;
  const url = findLink(headers.get('Link') ?? '', 'deprecation');
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
