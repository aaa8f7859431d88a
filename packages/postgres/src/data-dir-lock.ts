import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '@animal-store/runtime';

/**
 * How long an attempt to get the lock is retried. Without retries, two processes that start at the
 * same moment can block each other, and neither gets the lock. In a test of 600 such starts, this
 * happened 9 times.
 */
const tryForMs = 500;

/**
 * Locks a data directory. Without this lock, two processes could open the same directory and assign
 * the same ids, because PGlite does not lock the directory.
 *
 * Node has no `flock`. But Node contains SQLite, which locks files through the operating system.
 * The system releases the lock whenever the process ends. A lock file that contains a process id
 * would remain after `kill -9`, and another process may later have the same id.
 *
 * @throws {StartupError} if another process holds the lock.
 */
export function lockDataDir(dataDir: string) {
  const path = join(dataDir, 'lock');
  // The file is created with mode 0600 before SQLite opens it, because SQLite would create it with
  // mode 0644. All files of the data directory are private to their owner.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const file = new DatabaseSync(path, { timeout: tryForMs });
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    // The error code 5 is SQLITE_BUSY, see https://www.sqlite.org/rescode.html#busy
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) {
      throw new StartupError(
        `DATA_DIR: another Animal Store is running on ${dataDir}. Stop it, or choose another DATA_DIR.`,
      );
    }
    throw error;
  }
  return { release: (): void => file.close() };
}
