import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { DatabaseUnavailableError, incompleteAnswer, readOnly } from './database-error.ts';
import { inTransaction } from './statement.ts';

/** Whether writes are refused: by a standby, or by a setting. */
export const isReadOnly: SQL<boolean> = sql<boolean>`(pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')`;

/** Several times the smallest `work_mem`. */
const spilledRows = sql.raw('10000');

/**
 * Finds out whether the database accepts writes and has room for them.
 *
 * With too little memory for its rows, Postgres writes a temporary file: that fails on a full disk as a
 * creation does, and leaves nothing behind in a table.
 *
 * @throws {DatabaseError} if it does not.
 */
export function probeDatabase(db: Database): Promise<void> {
  return inTransaction('probe_database', db, async (tx) => {
    await tx.execute(sql`set local work_mem = '64kB'`);
    const [row] = await tx
      .select({ isReadOnly, rows: sql`count(*)` })
      .from(sql`generate_series(1, ${spilledRows})`);
    if (row === undefined) throw new DatabaseUnavailableError(incompleteAnswer);
    if (row.isReadOnly) throw new DatabaseUnavailableError(readOnly);
  });
}
