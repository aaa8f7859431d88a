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

/** Creates and drops the partitions of the ledger. */
export function createUsagePartitions(db: Database) {
  /** Partitions that are there; asking again would lock the table. */
  const known = new Set<string>();

  return {
    /** Creates the partition that a time belongs to, if there is none. */
    async create(table: PartitionedTable, at: Date): Promise<void> {
      const partition = partitionOf(table, at);
      if (known.has(partition.name)) return;
      await inTransaction('change_usage_partitions', db, async (tx) => {
        await lockPartitions(tx);
        await createPartition(tx, table, partition);
      });
      known.add(partition.name);
    },

    /** Forgets which partitions are there: another replica may have dropped some. */
    forget: () => known.clear(),
  };
}
