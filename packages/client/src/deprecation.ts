import { findLink, type OperationName } from '@animal-store/contract';

interface WithProcess {
  process?: { emitWarning?: (warning: string, type: string) => void };
}

/** Operations that this process was warned of: one warning tells all that there is to tell. */
const warned = new Set<OperationName>();

/**
 * Warns, once in the life of the process, that an operation is going away, if its answer says so.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `Deprecation`, RFC 8594 for `Sunset`.
 */
export function warnOfDeprecation(operation: OperationName, headers: Headers): void {
  if (!headers.has('Deprecation') || warned.has(operation)) return;
  warned.add(operation);

  const sunset = new Date(headers.get('Sunset') ?? Number.NaN);
  const end = Number.isNaN(sunset.getTime())
    ? ''
    : ` and ends on ${sunset.toISOString().slice(0, 10)}`;
  const url = findLink(headers.get('Link') ?? '', 'deprecation');
  const message = `Animal Store: ${operation} is deprecated${end}.${url === undefined ? '' : ` See ${url}`}`;

  // In Node, Deno and Bun: honours --no-deprecation and --trace-deprecation.
  const { process } = globalThis as WithProcess;
  if (typeof process?.emitWarning === 'function')
    process.emitWarning(message, 'DeprecationWarning');
  // biome-ignore lint/suspicious/noConsole: browsers and workers have no other place for a warning.
  else console.warn(message);
}
