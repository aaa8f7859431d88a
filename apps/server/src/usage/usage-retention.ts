import type { Database } from '@animal-store/postgres';
import { statement } from '@animal-store/postgres';
import { sql } from 'drizzle-orm';
import { usage } from './usage-tables.ts';

/**
 * The number of rows that one statement deletes. Deleting more rows might exceed the statement
 * timeout.
 */
const maxDeletedRows = 5_000;

/** The times for which the usage tables keep their rows, in milliseconds. */
export interface UsageRetention {
  readonly minutes: number;
  readonly hours: number;
  readonly days: number;
  readonly flushes: number;
}

/**
 * A group of rows with the same retention period (`keptMs`). `key` names the columns of the primary
 * key, `at` is the column with the time, and `span` is the length of the buckets in minutes.
 */
type Expiring = readonly [table: string, key: string, at: string, keptMs: number, span?: number];

const columns = 'key_id, at, operation, outcome';

const expiring = ({ minutes, hours, days, flushes }: UsageRetention): readonly Expiring[] => [
  ['counts', `span, ${columns}`, 'at', minutes, 1],
  ['counts', `span, ${columns}`, 'at', hours, 60],
  ['counts', `span, ${columns}`, 'at', days, 1_440],
  ['written', 'replica, sequence', 'at', flushes],
  // Replicas of earlier versions write to these four tables. A later version will drop the tables.
  ['minutes', columns, 'at', minutes],
  ['hours', columns, 'at', hours],
  ['days', columns, 'at', days],
  ['flushes', 'flushed_at, replica, sequence', 'rolled_up_at', flushes],
];

const deleteOldest = statement('delete_usage', (db, [table, key, at, keptMs, span]: Expiring) => {
  // The expiry is computed by the clock of the database. Otherwise a replica with a wrong clock
  // could delete rows too early.
  const isExpired = sql`${sql.raw(at)} < now() - make_interval(secs => ${keptMs / 1_000})
    and ${span === undefined ? sql`true` : sql`span = ${span}`}`;
  return db
    .delete(usage.table(table, {}))
    .where(
      sql`(${sql.raw(key)}) in (select ${sql.raw(key)} from usage.${sql.raw(table)}
        where ${isExpired} limit ${maxDeletedRows} for update skip locked)`,
    )
    .returning({ one: sql<number>`1` });
});

/**
 * Deletes a batch of expired rows.
 *
 * @returns whether there may be more expired rows.
 */
export async function deleteExpiredUsage(db: Database, kept: UsageRetention): Promise<boolean> {
  let isMore = false;
  for (const some of expiring(kept)) {
    if ((await deleteOldest(db, some)).length === maxDeletedRows) isMore = true;
  }
  return isMore;
}
