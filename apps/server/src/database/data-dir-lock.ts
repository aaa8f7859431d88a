import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../shared/startup-error.ts';

/**
 * How long to try. Two servers that start at the same moment can each be in the other's way, and
 * without another try neither would get the lock (9 of 600 attempts).
 */
const tryForMs = 500;

/** Holds a data directory for this process. */
export interface DataDirLock {
  release(): void;
}

/**
 * Locks a data directory against a second server: PGlite does not, and both would hand out the same
 * ids.
 *
 * Node has no `flock`; SQLite, which comes with Node, locks a file through the operating system. So
 * the kernel lets go of the lock however the process dies, and there is no stale lock to judge by a
 * process id, which another process may carry by then.
 *
 * @throws {StartupError} if another process holds it.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const file = new DatabaseSync(join(dataDir, 'lock'), { timeout: tryForMs });
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    // SQLITE_BUSY: https://www.sqlite.org/rescode.html#busy
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) {
      throw new StartupError(
        `DATA_DIR: another Animal Store is running on ${dataDir}. Stop it, or choose another DATA_DIR.`,
      );
    }
    throw error;
  }
  return { release: () => file.close() };
}
