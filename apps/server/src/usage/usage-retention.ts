import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { usage } from './usage-tables.ts';

/** How many rows one statement deletes, to stay below the statement timeout. */
const deletedAtOnce = 5_000;

/** How long the ledger keeps its rows after their time, in milliseconds. */
export interface UsageRetention {
  readonly minutes: number;
  readonly hours: number;
  readonly days: number;
  readonly flushes: number;
}

interface Expiring {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly at: string;
  readonly span?: number;
  readonly keptMs: number;
}

const columns = 'key_id, at, operation, outcome';

const expiring = (kept: UsageRetention): readonly Expiring[] => [
  ...([1, 60, 1_440] as const).map((span) => ({
    ...{ table: 'counts', key: `span, ${columns}`, at: 'at', span },
    keptMs: { 1: kept.minutes, 60: kept.hours, 1440: kept.days }[span],
  })),
  { table: 'written', key: 'replica, sequence', at: 'at', keptMs: kept.flushes },
  // Of versions before, until a later one drops these tables.
  ...(['minutes', 'hours', 'days'] as const).map((table) => ({
    ...{ table, key: columns, at: 'at', keptMs: kept[table] },
  })),
  {
    ...{ table: 'flushes', key: 'flushed_at, replica, sequence', at: 'rolled_up_at' },
    keptMs: kept.flushes,
  },
];

const deleteOldest = statement('delete_usage', (db, { table, key, at, span, keptMs }: Expiring) => {
  // By the database's clock: a replica whose clock is wrong must not remove anything.
  const isExpired = sql`${sql.raw(at)} < now() - make_interval(secs => ${keptMs / 1_000})
    and ${span === undefined ? sql`true` : sql`span = ${span}`}`;
  return db
    .delete(usage.table(table, {}))
    .where(
      sql`(${sql.raw(key)}) in (select ${sql.raw(key)} from usage.${sql.raw(table)}
        where ${isExpired} limit ${deletedAtOnce} for update skip locked)`,
    )
    .returning({ one: sql<number>`1` });
});

/**
 * Deletes some of the rows that need not be kept any longer.
 *
 * @returns whether there may be more.
 */
export async function deleteExpiredUsage(db: Database, kept: UsageRetention): Promise<boolean> {
  let isMore = false;
  for (const some of expiring(kept)) {
    const deleted = await deleteOldest(db, some);
    isMore ||= deleted.length === deletedAtOnce;
  }
  return isMore;
}
