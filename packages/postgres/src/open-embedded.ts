import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, StartupError } from '@animal-store/runtime';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { prepareDataDir } from './data-dir.ts';
import { lockDataDir } from './data-dir-lock.ts';
import type { OpenDatabase } from './database.ts';
import { type DatabaseOptions, defaultDatabaseLimits } from './database-settings.ts';
import { DurableFileSystem, durableStartParams, syncTree } from './durable-file-system.ts';
import { describeEmbeddedFault, readPostgresError } from './embedded-fault.ts';
import { describeLittleMemory } from './embedded-memory.ts';
import { describeFullDisk } from './full-disk.ts';
import { describeFailedMigration } from './migration-error.ts';
import { beginDatabase } from './new-database.ts';
import { limitStatements } from './statement.ts';

/**
 * Locks a directory, opens the embedded database (PGlite) in it, and migrates the database.
 *
 * @throws {StartupError} if the directory cannot be used, or if another process uses it.
 */
export async function openEmbedded(
  dataDir: string,
  options: DatabaseOptions & {
    /** Called with a sentence if the process may have too little memory. */
    onWarning?: (sentence: string) => void;
  },
): Promise<OpenDatabase> {
  const { migrationsFolder, answerWithinMs = defaultDatabaseLimits.answerWithinMs } = options;
  try {
    prepareDataDir(dataDir);
    const lock = lockDataDir(dataDir);
    const { client, finish } = await openPglite(dataDir, options.onWarning).catch(
      (error: unknown) => {
        lock.release();
        throw error;
      },
    );
    const db = drizzle({ client });
    limitStatements(db, answerWithinMs);
    await migrate(db, { migrationsFolder }).catch(async (error: unknown) => {
      await client.close().catch(() => {});
      lock.release();
      const reason = describeFailedMigration(error, migrationsFolder);
      throw cannotOpen(
        dataDir,
        describeFullDisk(dataDir) ??
          `${reason}. All changes of this start were undone. Start the version of the service that used this directory before, or restore a backup of the directory`,
        error,
      );
    });
    finish();
    return {
      db,
      reads: db,
      operators: db,
      background: db,
      async prepare() {},
      async listen(channel, { onMessage, onListening }) {
        const unlisten = await client.listen(channel, onMessage);
        onListening();
        // The embedded database is used by a single process, so there is no connection to check by
        // heartbeats.
        return { beat() {}, close: () => unlisten() };
      },
      // The database is in this process, so it has no address.
      address: () => ({}),
      close: async () => {
        await client.close();
        lock.release();
      },
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw cannotOpen(dataDir, describeFullDisk(dataDir) ?? errorText(error), error);
  }
}

const cannotOpen = (dataDir: string, reason: string, cause: unknown) =>
  new StartupError(`DATA_DIR: cannot open ${dataDir}: ${reason}`, { cause });

/**
 * The size of Postgres's page cache. The cache is part of WebAssembly's memory, which is allocated
 * at the start.
 *
 * With Postgres's default of 128 MB, an idle service takes 404 MB. With 16 MB it takes 270 MB, and
 * 4 MB saves nothing more. The operating system caches the same files anyway.
 */
const sharedBuffers = '16MB';

/**
 * Opens the database.
 *
 * @returns the database, and a function that must be called when it has all migrations.
 * @throws {StartupError} with the reason if the database cannot be opened.
 */
async function openPglite(dataDir: string, onWarning?: (sentence: string) => void) {
  const directory = join(dataDir, 'postgres');
  // This function creates the directory with mode 0700, because PGlite would create it with mode
  // 0755.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const finish = beginDatabase(dataDir, directory);
  const hadDatabase = existsSync(join(directory, 'PG_VERSION'));
  const warning = describeLittleMemory(hadDatabase ? 'laterStart' : 'firstStart');
  if (warning !== undefined) onWarning?.(warning);
  let postgresError: string | undefined;
  const client = await PGlite.create({
    fs: new DurableFileSystem(directory),
    startParams: [...durableStartParams, '-c', `shared_buffers=${sharedBuffers}`],
    onStderr(line) {
      postgresError ??= readPostgresError(line);
      return false;
    },
  }).catch((error: unknown) => {
    const reason = describeEmbeddedFault(error, { hadDatabase, postgresError });
    throw cannotOpen(dataDir, describeFullDisk(dataDir) ?? reason, error);
  });
  // If the table of migrations is missing, the database is new, or its first start was interrupted.
  // The files of such a database may not be on the disk yet, so they are flushed.
  const { rows } = await client.query<{ migrations: string | null }>(
    "select to_regclass('drizzle.__drizzle_migrations') as migrations",
  );
  if (rows[0]?.migrations === null) syncTree(directory);
  return { client, finish };
}
