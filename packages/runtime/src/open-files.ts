import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns how many files and connections this process may have open at the same time (`ulimit -n`).
 * Returns `Infinity` without a limit, and on systems without `/proc`. The limit is not read from
 * `process.report`, because a report is slow: it looks up the host names of all connections.
 */
export function maxOpenFiles(): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY;
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  // Without a limit, `/proc/self/limits` contains the word "unlimited" instead of a number.
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}
