import { DatabaseUnavailableError } from '@animal-store/postgres';
import { createBatcher } from '@animal-store/runtime';

/**
 * A function that inserts rows in one SQL statement and returns their outcomes in the same order.
 */
type InsertAll<Row, Outcome> = (rows: readonly Row[]) => Promise<readonly Outcome[]>;

/**
 * Creates the function that inserts one row. Rows that arrive while a statement is running share
 * the next statement. If the database refuses one row, only that row fails.
 */
export function createInsertBatcher<Row, Outcome>(
  insertAll: InsertAll<Row, Outcome>,
): (row: Row) => Promise<Outcome> {
  const insertOne = async (row: Row) => (await insertAll([row]))[0] as Outcome;
  return createBatcher<Row, Outcome>(
    (rows) =>
      insertAll(rows).catch((error: unknown): Promise<Outcome>[] => {
        if (rows.length === 1 || error instanceof DatabaseUnavailableError) throw error;
        // The database refused the whole statement because of one of its rows. Each row is now
        // inserted by its own statement, so that only the refused row fails.
        return rows.map(insertOne);
      }),
    // The next statement starts only when the previous one has finished, or after 50 ms. So a
    // request that repeats an idempotency key usually finds that the first creation is finished.
    { operation: 'create_pet', system: 'postgresql', maxSize: 100, maxInFlight: 1, patienceMs: 50 },
  );
}
