import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { OpenDatabase } from './database.ts';
import {
  DatabaseError,
  DatabaseUnavailableError,
  incompleteAnswer,
  readOnly,
} from './database-error.ts';
import { isReadOnly } from './probe-database.ts';
import { statement } from './statement.ts';

/** SQLSTATE of a table that does not exist. */
const undefinedTable = '42P01';

const checkDatabase = statement('check_database', async (db) => {
  const [row] = await db
    .select({
      newestMigration: sql<string | null>`max(created_at)`,
      isReadOnly,
    })
    .from(sql`drizzle.__drizzle_migrations`);
  if (row === undefined) throw new DatabaseUnavailableError(incompleteAnswer);
  // Thrown here, so that whoever follows the statements looks for a Postgres that is writable.
  if (row.isReadOnly) throw new DatabaseUnavailableError(readOnly);
  return row;
});

/**
 * Creates a check that the database accepts writes, and has every migration that this code knows. More
 * migrations are fine: during a rollout, newer replicas have already applied theirs.
 *
 * It asks on each pool that requests use, because a pool may be unable to connect while another one is connected.
 *
 * @param migrationsFolder the SQL files that drizzle-kit wrote, with their journal.
 * @returns from the check, whether it has the migrations.
 * @throws {DatabaseError} from the check, if the database cannot be asked or is read-only.
 */
export function createDatabaseCheck(
  { db, reads }: Pick<OpenDatabase, 'db' | 'reads'>,
  migrationsFolder: string,
): () => Promise<boolean> {
  const newest = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0;
  return async function isMigrated() {
    try {
      const pools = new Set([db, reads]);
      const answers = await Promise.all([...pools].map((pool) => checkDatabase(pool)));
      return answers.every(({ newestMigration }) => Number(newestMigration) >= newest);
    } catch (error) {
      if (error instanceof DatabaseError && error.code === undefinedTable) return false;
      throw error;
    }
  };
}
