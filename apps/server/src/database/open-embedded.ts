import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { StartupError } from '../startup-error.ts';
import { lockDataDir } from './data-dir-lock.ts';
import type { OpenDatabase } from './database.ts';
import { migrationsFolder } from './migrations.ts';
import * as schema from './schema.ts';

/**
 * Opens the embedded database, PGlite, in a directory that this process then has to itself, and
 * migrates it.
 *
 * @throws {StartupError} if the directory cannot be used, or another server runs on it.
 */
export async function openEmbedded(dataDir: string): Promise<OpenDatabase> {
  try {
    await makeDirectory(dataDir);
    const lock = lockDataDir(dataDir);
    const client = await PGlite.create(join(dataDir, 'postgres')).catch((error: unknown) => {
      lock.release();
      throw error;
    });
    const db = drizzle({ client, schema });
    await migrate(db, { migrationsFolder });
    return {
      db,
      async listen(channel, { onMessage, onListening }) {
        const unlisten = await client.listen(channel, onMessage);
        onListening();
        return () => unlisten();
      },
      close: async () => {
        await client.close();
        lock.release();
      },
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    // The WebAssembly's file system throws objects of its own.
    const reason = error instanceof Error ? error.message : 'it holds no database of this version';
    throw new StartupError(`DATA_DIR: cannot open ${dataDir}: ${reason}`);
  }
}

/**
 * Makes a directory, and those above it that are missing. Only the owner reads it: it holds the
 * catalogue and, later, the admin token.
 *
 * Not by `mkdir`'s own `recursive`, which never returns for /proc/x (tried on Node 24.21).
 */
async function makeDirectory(path: string): Promise<void> {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  if (!existsSync(dirname(path))) await makeDirectory(dirname(path));
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another server that starts at this moment was faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
