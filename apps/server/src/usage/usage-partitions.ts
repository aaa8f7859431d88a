import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { inTransaction, statement } from '../database/statement.ts';

/** How much time one partition of a table covers. Data is removed by whole partitions. */
const units = {
  flushes: 'day',
  minutes: 'day',
  hours: 'month',
  days: 'month',
  key_days: 'month',
} as const;

export type PartitionedTable = keyof typeof units;

/** The advisory lock of a replica that changes partitions. */
const partitionLock = 7_301_874_402_563;

const lockPartitions = statement('lock_usage_partitions', (db) =>
  db.execute(sql`select pg_advisory_xact_lock(${partitionLock})`),
);

const findPartition = statement('find_usage_partition', (db, { name }: Partition) =>
  db
    .select({ isThere: sql<boolean>`is_there` })
    .from(sql`(select to_regclass(${`usage.${name}`}) is not null as is_there) partition`),
);

const createPartition = statement(
  'create_usage_partition',
  (db, table: string, { name, from, to }: Partition) =>
    // Values of a partition's bounds cannot be parameters. These are made here, from dates.
    db.execute(
      sql.raw(
        `create table if not exists usage.${name} partition of usage.${table}
        for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
      ),
    ),
);

const listPartitions = statement('list_usage_partitions', (db) =>
  db.select({ name: sql<string>`name`, nowMs: sql<number>`now_ms`.mapWith(Number) }).from(
    // By the database's clock: a replica whose clock is wrong must not remove anything.
    sql`(select relname as name, extract(epoch from now()) * 1000 as now_ms from pg_class
        where relnamespace = 'usage'::regnamespace and relispartition and relkind = 'r') partitions`,
  ),
);

const hasWaitingFlushes = statement('check_usage_partition', (db, name: string) =>
  db
    .select({ one: sql`1` })
    .from(sql.raw(`usage.${name}`))
    .where(sql`rolled_up_at is null`)
    .limit(1),
);

const dropPartition = statement('drop_usage_partition', (db, name: string) =>
  db.execute(sql.raw(`drop table if exists usage.${name}`)),
);

/** How long each table keeps its rows after their time, in milliseconds. */
export type UsageRetention = Readonly<Record<PartitionedTable, number>>;

interface Partition {
  /** Such as `minutes_20261121`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** The partition of a table that a time belongs to, in UTC. */
function partitionOf(table: PartitionedTable, at: Date): Partition {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const [from, to] =
    units[table] === 'month'
      ? [Date.UTC(year, month), Date.UTC(year, month + 1)]
      : [Date.UTC(year, month, at.getUTCDate()), Date.UTC(year, month, at.getUTCDate() + 1)];
  const digits = new Date(from).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table}_${digits}`, from: new Date(from), to: new Date(to) };
}

/** The partition of a name that {@link partitionOf} gives; `undefined` for any other. */
function parsePartition(name: string): (Partition & { table: PartitionedTable }) | undefined {
  const [, table = '', year, month, day] = /^(\w+)_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  if (!isPartitioned(table)) return undefined;
  return { table, ...partitionOf(table, new Date(`${year}-${month}-${day}T00:00:00Z`)) };
}

const isPartitioned = (table: string): table is PartitionedTable => Object.hasOwn(units, table);

/** Creates and drops the partitions of the ledger. */
export function createUsagePartitions(db: Database) {
  /** Partitions that are there. */
  const known = new Set<string>();

  return {
    /** Creates the partition that a time belongs to, if there is none. */
    async create(table: PartitionedTable, at: Date): Promise<void> {
      const partition = partitionOf(table, at);
      if (known.has(partition.name)) return;
      // Another replica may hold the lock for long, while a table is in use.
      const [found] = await findPartition(db, partition);
      if (found?.isThere !== true) {
        await inTransaction('change_usage_partitions', db, async (tx) => {
          await lockPartitions(tx);
          await createPartition(tx, table, partition);
        });
      }
      known.add(partition.name);
    },

    /** Forgets which partitions there are: another replica may have dropped some. */
    forget: () => known.clear(),

    /** Drops the partitions whose rows are all older than their table keeps them. */
    async dropExpired(retention: UsageRetention): Promise<void> {
      known.clear();
      for (const { name, nowMs } of await listPartitions(db)) {
        const partition = parsePartition(name);
        if (partition === undefined) continue;
        const { table, to } = partition;
        if (to.getTime() + retention[table] > nowMs) continue;
        await inTransaction('change_usage_partitions', db, async (tx) => {
          await lockPartitions(tx);
          if (table === 'flushes' && (await hasWaitingFlushes(tx, name)).length > 0) return;
          await dropPartition(tx, name);
        });
      }
    },
  };
}
