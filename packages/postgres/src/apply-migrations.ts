import { sleep } from '@animal-store/runtime';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type { Sql } from 'postgres';
import { DatabaseUnavailableError, lockNotAvailable, toDatabaseError } from './database-error.ts';
import type { DatabaseLimits } from './database-settings.ts';
import { fillInBatches } from './fill-in-batches.ts';
import { createIndexesOnline } from './online-indexes.ts';

interface Options extends Pick<DatabaseLimits, 'tableLockTimeoutMs' | 'migrationPauseMs'> {
  /** The SQL files that drizzle-kit wrote, with their journal. */
  readonly migrationsFolder: string;
  /** The session that holds the migration lock. */
  readonly pid: number;
}

/**
 * Applies the missing migrations, each in its own transaction, and records them where drizzle's
 * migrator does. drizzle's migrator uses a single transaction for all migrations. It would keep the
 * locks of the first migration until the last one has copied its rows, and it waits for locks
 * without a limit.
 */
export async function applyMigrations(client: Sql, options: Options): Promise<void> {
  await liftTimeLimits(client);
  await createJournal(client);
  const [newest] = await client`
    select coalesce(max(created_at), 0) as at from drizzle.__drizzle_migrations`;
  for (const migration of readMigrationFiles(options)) {
    if (migration.folderMillis <= Number(newest?.['at'])) continue;
    await createIndexesOnline(client, migration.sql);
    await fillInBatches(client, migration.sql);
    while (!(await tryToApply(client, options, migration))) {
      await sleep(options.migrationPauseMs);
    }
  }
}

/** @returns `false` if it did not get a lock. */
async function tryToApply(
  client: Sql,
  { pid, tableLockTimeoutMs }: Options,
  { sql, hash, folderMillis }: MigrationMeta,
): Promise<boolean> {
  try {
    await client.begin(async (tx) => {
      const [session] = await tx`
        select set_config('lock_timeout', ${`${tableLockTimeoutMs}ms`}, true), pg_backend_pid() as pid`;
      // The driver has reconnected, and another replica may hold the lock now.
      if (session?.['pid'] !== pid) throw new DatabaseUnavailableError('CONNECTION_CLOSED');
      for (const statement of sql) await tx.unsafe(statement);
      await tx`insert into drizzle.__drizzle_migrations (hash, created_at)
        values (${hash}, ${folderMillis})`;
    });
    return true;
  } catch (error) {
    if (toDatabaseError(error).code === lockNotAvailable) return false;
    throw error;
  }
}

/**
 * Sets the limits of this session, because a role or a database may have set others. An index of
 * many rows takes longer than such limits, and would be started again forever. They are not
 * parameters of the connection, because PgBouncer refuses those.
 */
async function liftTimeLimits(client: Sql): Promise<void> {
  await client`select set_config(name, '0', false) from pg_settings where name in
    ('statement_timeout', 'lock_timeout', 'transaction_timeout')`;
}

/** Creates the schema and the table of migrations, as drizzle's migrator does. */
async function createJournal(client: Sql): Promise<void> {
  // The query comes first, because `if not exists` needs the right to create even where nothing has
  // to be created.
  const [found] = await client`
    select to_regclass('drizzle.__drizzle_migrations') is not null as "isThere"`;
  if (found?.['isThere']) return;
  await client`create schema if not exists drizzle`;
  await client`create table if not exists drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint)`;
}
