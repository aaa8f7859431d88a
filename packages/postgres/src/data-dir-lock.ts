import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '@animal-store/runtime';

/**
 * How long to retry. Without a retry, two servers that start at the same moment can block each other so
 * that neither gets the lock (9 of 600 attempts).
 */
const tryForMs = 500;

/**
 * Locks a data directory. PGlite does not lock it, and two servers on one directory would assign
 * the same ids.
 *
 * Node has no `flock`, but its SQLite locks files through the operating system, which always
 * releases the lock when the process ends. A file with a process id would remain after `kill -9`,
 * and the id may belong to another process later.
 *
 * @throws {StartupError} if another process holds the lock.
 */
export function lockDataDir(dataDir: string) {
  const path = join(dataDir, 'lock');
  // SQLite creates files with mode 0644, but all files of the data directory are private: see the
  // README, "Embedded".
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const file = new DatabaseSync(path, { timeout: tryForMs });
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
  return { release: (): void => file.close() };
}
