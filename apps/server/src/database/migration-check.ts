import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Database } from './database.ts';
import { DatabaseError, translateErrors } from './database-error.ts';
import { migrationsFolder } from './migrate.ts';

/** SQLSTATE of a table that does not exist. */
const undefinedTable = '42P01';

/**
 * Makes a check that the database has every migration that this code knows. One that has more is
 * fine: during a rollout, newer replicas have migrated it.
 *
 * @throws {DatabaseError} from the check, if the database cannot tell.
 */
export function createMigrationCheck(db: Database): () => Promise<boolean> {
  const newest = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0;
  return async function isMigrated() {
    try {
      const [row] = await translateErrors(
        db
          .select({ at: sql<string | null>`max(created_at)` })
          .from(sql`drizzle.__drizzle_migrations`),
        'newest_migration',
      );
      return Number(row?.at) >= newest;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === undefinedTable) return false;
      throw error;
    }
  };
}
