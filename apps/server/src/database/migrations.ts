import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Database } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { statement } from './statement.ts';

/** The SQL files that drizzle-kit wrote, in the order of their journal. */
export const migrationsFolder: string = fileURLToPath(new URL('./migrations', import.meta.url));

/** SQLSTATE of a table that does not exist. */
const undefinedTable = '42P01';

const findNewestMigration = statement('newest_migration', (db) =>
  db.select({ at: sql<string | null>`max(created_at)` }).from(sql`drizzle.__drizzle_migrations`),
);

/**
 * Creates a check that the database has every migration that this code knows. More migrations are
 * fine: during a rollout, newer replicas have already applied theirs.
 *
 * @throws {DatabaseError} from the check, if the database cannot be asked.
 */
export function createMigrationCheck(db: Database): () => Promise<boolean> {
  const newest = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0;
  return async function isMigrated() {
    try {
      const [row] = await findNewestMigration(db);
      return Number(row?.at) >= newest;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === undefinedTable) return false;
      throw error;
    }
  };
}
