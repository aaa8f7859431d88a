import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { StartupError } from '../startup-error.ts';
import { lockDataDir } from './data-dir-lock.ts';
import type { OpenDatabase } from './database.ts';
import { migrationsFolder } from './migrate.ts';
import * as schema from './schema.ts';

/**
 * Opens the embedded database, PGlite, in a directory that this process then has to itself, and
 * migrates it.
 *
 * @throws {StartupError} if the directory cannot be used, or another server runs on it.
 */
export async function openEmbedded(dataDir: string): Promise<OpenDatabase> {
  try {
    // Only the owner reads it: the directory holds the catalogue and, later, the admin token.
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const lock = lockDataDir(dataDir);
    const client = await PGlite.create(join(dataDir, 'postgres')).catch((error: unknown) => {
      lock.release();
      throw error;
    });
    const db = drizzle({ client, schema });
    await migrate(db, { migrationsFolder });
    return {
      db,
      close: async () => {
        await client.close();
        lock.release();
      },
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`DATA_DIR: cannot open ${dataDir}: ${reason}`);
  }
}
