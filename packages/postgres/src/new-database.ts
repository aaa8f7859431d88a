import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '@animal-store/runtime';
import { syncFile } from './durable-file-system.ts';

/** The file in the data directory that exists while a new database is created. */
const unfinished = 'postgres-unfinished';

/**
 * Prepares the directory of the database for PGlite, which creates a database in every directory
 * without the file `PG_VERSION`. If only this file was lost, PGlite would replace all data.
 *
 * If the creation of a database was interrupted, its directory is renamed, and the creation begins
 * again. Nothing is deleted, because an earlier version of the service ignores the mark, and may have
 * completed the database.
 *
 * @returns a function that must be called when the new database has all migrations, before it
 *   stores data of callers.
 * @throws {StartupError} if the directory contains files but no database.
 */
export function beginDatabase(dataDir: string, directory: string): () => void {
  const mark = join(dataDir, unfinished);
  const names = readdirSync(directory);
  if (existsSync(mark)) {
    if (names.length > 0) {
      renameSync(directory, `${directory}-interrupted-${Date.now()}`);
      mkdirSync(directory, { mode: 0o700 });
    }
  } else if (names.includes('PG_VERSION')) {
    return () => {};
  } else if (names.length > 0) {
    throw new StartupError(
      `DATA_DIR: ${directory} is damaged: it contains files, but not PG_VERSION. Nothing was changed. Restore a backup of ${dataDir}, or set DATA_DIR to a new directory to start with an empty database`,
    );
  }
  writeFileSync(mark, '', { mode: 0o600 });
  return function finishDatabase() {
    rmSync(mark);
    // Without the flush, the file could be back after a power failure, and the next start would
    // create another database.
    syncFile(dataDir);
  };
}
