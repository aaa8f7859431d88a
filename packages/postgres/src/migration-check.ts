import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { runForAll } from './abandoned-request.ts';
import type { OpenDatabase } from './database.ts';
import {
  DatabaseError,
  DatabaseUnavailableError,
  incompleteAnswer,
  readOnly,
} from './database-error.ts';
import { isReadOnly } from './probe-database.ts';
import { findSessionFault, sessionColumns } from './session-settings.ts';
import { statement } from './statement.ts';

/** The SQLSTATE that a statement fails with if its table does not exist. */
const undefinedTable = '42P01';

const checkDatabase = statement('check_database', async (db) => {
  const [row] = await db
    .select({
      newestMigration: sql<string | null>`max(created_at)`,
      isReadOnly,
      session: sql<
        Record<string, string | null>
      >`(select to_json(session) from (select ${sql.raw(sessionColumns)}) session)`,
    })
    .from(sql`drizzle.__drizzle_migrations`);
  if (row === undefined) throw new DatabaseUnavailableError(incompleteAnswer);
  // The error is thrown inside the statement, because the monitor only observes the errors of
  // statements. When the monitor sees this error, it starts a search for a writable Postgres.
  if (row.isReadOnly) throw new DatabaseUnavailableError(readOnly);
  return row;
});

const lacksMigrations =
  'The database lacks migrations that this version of the service needs; run the migrations of this version.';

/**
 * Creates a check of the database. The check finds out whether the database accepts writes, has
 * every migration of this version, and gives sessions the settings that the service needs. More
 * migrations than expected are fine, because newer replicas of the service apply their migrations
 * during an update.
 *
 * The check uses each connection pool for requests of callers, because one pool may be connected
 * while another one cannot connect.
 *
 * @param migrationsFolder the folder with the SQL files and the journal that drizzle-kit wrote.
 * @returns the check. It returns one sentence about what is wrong, or `undefined`.
 * @throws {DatabaseError} from the check, if the database cannot be queried or is read-only.
 */
export function createDatabaseCheck(
  { db, reads }: Pick<OpenDatabase, 'db' | 'reads'>,
  migrationsFolder: string,
): () => Promise<string | undefined> {
  const newest = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0;
  const pools = new Set([db, reads]);
  const checkPools = () => Promise.all([...pools].map((pool) => checkDatabase(pool)));
  return async function findDatabaseFault() {
    try {
      // Health checks and requests of operators share the result, so the statements must not depend
      // on whether the client of one request has disconnected.
      const answers = await runForAll(checkPools);
      for (const { session, newestMigration } of answers) {
        const fault = findSessionFault(session);
        if (fault !== undefined) return `DATABASE_URL: ${fault}.`;
        if (Number(newestMigration) < newest) return lacksMigrations;
      }
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === undefinedTable) return lacksMigrations;
      throw error;
    }
  };
}
