import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * File descriptors that the public port leaves for everything else: the ops listener, the stores, and
 * the files that the embedded database opens later.
 */
const reservedDescriptors = 100;

/**
 * How many connections the public port may have so that file descriptors are left. Without a reserve,
 * strangers' connections could take all of them: probes would fail, and the replica would be killed.
 *
 * Call it once the stores are open. `Infinity` where there is no `/proc`. `process.report` also tells
 * the limit, but looks up the host names of all connections first.
 */
export function connectionRoom(): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY;
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  // "unlimited"
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const free = Math.max(0, Number(limit) - readdirSync('/proc/self/fd').length);
  return Math.floor(Math.max(free - reservedDescriptors, free / 2));
}
