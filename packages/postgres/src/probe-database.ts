import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { DatabaseUnavailableError, incompleteAnswer, readOnly } from './database-error.ts';
import { inTransaction } from './statement.ts';

/** A condition in SQL: whether the database is a standby, or a setting refuses writes. */
export const isReadOnly: SQL<boolean> = sql<boolean>`(pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')`;

/**
 * The number of rows that the probe generates. Together they are several times as large as the
 * smallest `work_mem`.
 */
const spilledRows = sql.raw('10000');

/**
 * Checks whether the database accepts writes and has space for them.
 *
 * The rows of this statement do not fit into its memory, so Postgres writes a temporary file. On a
 * full disk, the probe fails, as the creation of an animal would. The probe leaves nothing behind
 * in a table.
 *
 * @throws {DatabaseError} if the database refuses the write.
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
