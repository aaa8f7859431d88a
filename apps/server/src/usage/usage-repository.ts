import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { inTransaction, statement } from '../database/statement.ts';
import { rollUpFlushes } from './roll-up-flushes.ts';
import type { UsageEntry } from './usage-entry.ts';
import { createUsagePartitions, type UsageRetention } from './usage-partitions.ts';

export type UsageRepository = ReturnType<typeof createUsageRepository>;

/** What one replica has counted. It is written as one row, so it is there whole or not at all. */
export interface UsageFlush {
  /** The process that counted. */
  readonly replica: string;
  /** With `replica` and `flushedAt`, identifies the flush: written again, it changes nothing. */
  readonly sequence: number;
  readonly flushedAt: Date;
  readonly entries: readonly UsageEntry[];
}

/** Tells whether there was no partition for a row: then Postgres reports a check violation. */
const isCheckViolation = (error: unknown) =>
  error instanceof DatabaseError && error.code === '23514';

/** The advisory lock of the replica that rolls up. */
const rollUpLock = 7_301_874_402_562;

/** An array as Postgres writes it, of numbers or UUIDs: both drivers send texts alike. */
const arrayOf = (values: readonly (number | string)[]) => `{${values.join(',')}}`;

const insertFlush = statement('insert_usage', (db, flush: UsageFlush) => {
  const { replica, sequence, flushedAt, entries } = flush;
  const column = (name: keyof UsageEntry) => arrayOf(entries.map((entry) => entry[name]));
  return db.execute(sql`
    insert into usage.flushes (replica, sequence, flushed_at, entries,
      key_ids, plans, minutes, operations, outcomes, requests)
    values (${replica}, ${sequence}, ${flushedAt.toISOString()}, ${entries.length},
      ${column('keyId')}::text::uuid[], ${column('plan')}::text::smallint[],
      ${column('minute')}::text::integer[], ${column('operation')}::text::smallint[],
      ${column('outcome')}::text::smallint[], ${column('requests')}::text::integer[])
    on conflict do nothing`);
});

const tryRollUpLock = statement('lock_usage', (db) =>
  db.select({ held: sql<boolean>`held` }).from(sql`pg_try_advisory_xact_lock(${rollUpLock}) held`),
);

/** The days that waiting flushes have requests of, in Unix time. */
const findWaitingDays = statement('waiting_usage', (db) =>
  db.select({ day: sql<number>`day` }).from(
    sql`(select distinct minute / 1440 as day from usage.flushes, unnest(minutes) minute
        where rolled_up_at is null) waiting`,
  ),
);

const dayMs = 24 * 3_600_000;

/** Writes the ledger. */
export function createUsageRepository(db: Database) {
  const partitions = createUsagePartitions(db);

  return {
    /** Adds what a replica has counted. A repetition changes nothing. */
    async add(flush: UsageFlush): Promise<void> {
      const write = async () => {
        await partitions.create('flushes', flush.flushedAt);
        await insertFlush(db, flush);
      };
      await write().catch(async (error: unknown) => {
        // A replica dropped the partition after this one had created it.
        if (!isCheckViolation(error)) throw error;
        partitions.forget();
        await write();
      });
    },

    /**
     * Rolls up some waiting flushes, unless another replica is doing so.
     *
     * @returns whether there may be more.
     */
    async rollUp(): Promise<boolean> {
      const waiting = await findWaitingDays(db);
      if (waiting.length === 0) return false;
      for (const { day } of waiting) {
        for (const table of ['minutes', 'hours', 'days', 'key_days'] as const) {
          await partitions.create(table, new Date(day * dayMs));
        }
      }
      return await inTransaction('roll_up_usage', db, async (tx) => {
        const [lock] = await tryRollUpLock(tx);
        if (lock?.held !== true) return false;
        await rollUpFlushes(tx);
        return true;
      }).catch((error: unknown) => {
        // A replica dropped a partition after this one had created it: it is created again next time.
        if (!isCheckViolation(error)) throw error;
        partitions.forget();
        return false;
      });
    },

    /** Removes what is older than it is kept. */
    dropExpired: (retention: UsageRetention) => partitions.dropExpired(retention),
  };
}
