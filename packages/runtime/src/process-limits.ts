import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns how many files and connections this process may have open at the same time (`ulimit -n`).
 * Returns `Infinity` without a limit, and on systems without `/proc`.
 */
export const maxOpenFiles = (): number => readLimit('Max open files');

/**
 * Returns how many bytes of addresses this process may use (`ulimit -v`). Returns `Infinity`
 * without a limit, and on systems without `/proc`.
 */
export const maxAddressBytes = (): number => readLimit('Max address space');

/**
 * Reads a limit of this process. The limit is not read from `process.report`, because a report is
 * slow: it looks up the host names of all connections.
 */
function readLimit(name: string): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY;
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const [, limit] = new RegExp(`^${name} +(\\d+)`, 'm').exec(limits) ?? [];
  // Without a limit, `/proc/self/limits` contains the word "unlimited" instead of a number.
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}
