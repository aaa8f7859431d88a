import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '@animal-store/runtime';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { prepareDataDir } from './data-dir.ts';
import { lockDataDir } from './data-dir-lock.ts';
import type { OpenDatabase } from './database.ts';
import { type DatabaseOptions, defaultDatabaseLimits } from './database-settings.ts';
import { DurableFileSystem, durableStartParams, syncTree } from './durable-file-system.ts';
import { limitStatements } from './statement.ts';

/**
 * Locks a directory, opens the embedded database (PGlite) in it, and migrates it.
 *
 * @throws {StartupError} if the directory cannot be used, or another server runs on it.
 */
export async function openEmbedded(
  dataDir: string,
  { migrationsFolder, answerWithinMs = defaultDatabaseLimits.answerWithinMs }: DatabaseOptions,
): Promise<OpenDatabase> {
  try {
    prepareDataDir(dataDir);
    const lock = lockDataDir(dataDir);
    const client = await openPglite(join(dataDir, 'postgres')).catch((error: unknown) => {
      lock.release();
      throw error;
    });
    const db = drizzle({ client });
    limitStatements(db, answerWithinMs);
    await migrate(db, { migrationsFolder });
    return {
      db,
      reads: db,
      operators: db,
      background: db,
      async prepare() {},
      async listen(channel, { onMessage, onListening }) {
        const unlisten = await client.listen(channel, onMessage);
        onListening();
        // An embedded database has no network and no other replica.
        return { beat() {}, close: () => unlisten() };
      },
      // It is in this process.
      address: () => ({}),
      close: async () => {
        await client.close();
        lock.release();
      },
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    // WebAssembly's file system throws objects of its own.
    const reason = error instanceof Error ? error.message : 'it holds no database of this version';
    throw new StartupError(`DATA_DIR: cannot open ${dataDir}: ${reason}`);
  }
}

/**
 * The page cache is part of WebAssembly's memory, which is resident from the start. With Postgres's
 * default of 128 MB, an idle service takes 404 MB. With 16 MB it takes 270 MB, and 4 MB saves no
 * more. The operating system caches the files, too.
 */
const sharedBuffers = '16MB';

async function openPglite(directory: string): Promise<PGlite> {
  // PGlite would create the directory with mode 0755.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const client = await PGlite.create({
    fs: new DurableFileSystem(directory),
    startParams: [...durableStartParams, '-c', `shared_buffers=${sharedBuffers}`],
  });
  // A database without migrations is new, or its first start was interrupted.
  const { rows } = await client.query<{ migrations: string | null }>(
    "select to_regclass('drizzle.__drizzle_migrations') as migrations",
  );
  if (rows[0]?.migrations === null) syncTree(directory);
  return client;
}
