import { DatabaseUnavailableError } from '@animal-store/postgres';
import { createBatcher } from '@animal-store/runtime';

/** Inserts rows in one statement, and returns the outcome of each, in their order. */
type InsertAll<Row, Outcome> = (rows: readonly Row[]) => Promise<readonly Outcome[]>;

/**
 * Creates the function that inserts one row. Rows that arrive while a statement is in flight share
 * the next one. Each keeps its own outcome: if the database refuses a row, only that row fails.
 */
export function createInsertBatcher<Row, Outcome>(
  insertAll: InsertAll<Row, Outcome>,
): (row: Row) => Promise<Outcome> {
  const insertOne = async (row: Row) => (await insertAll([row]))[0] as Outcome;
  return createBatcher<Row, Outcome>(
    (rows) =>
      insertAll(rows).catch((error: unknown): Promise<Outcome>[] => {
        if (rows.length === 1 || error instanceof DatabaseUnavailableError) throw error;
        // The database refused the statement because of some row, and inserted none. It refuses only
        // that row if each has its own statement.
        return rows.map(insertOne);
      }),
    // One in flight: repetitions of an idempotency key find the first creation finished.
    { operation: 'create_pet', system: 'postgresql', maxSize: 100, maxInFlight: 1, patienceMs: 50 },
  );
}
