import { sleep } from '@animal-store/runtime';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type { Sql } from 'postgres';
import { DatabaseUnavailableError, lockNotAvailable, toDatabaseError } from './database-error.ts';
import type { DatabaseLimits } from './database-settings.ts';
import { fillInBatches } from './fill-in-batches.ts';
import { MigrationError, migrationName } from './migration-error.ts';
import { createIndexesOnline } from './online-indexes.ts';

interface Options extends Pick<DatabaseLimits, 'tableLockTimeoutMs' | 'migrationPauseMs'> {
  /** The folder with the SQL files and the journal that drizzle-kit wrote. */
  readonly migrationsFolder: string;
  /** The process id of the database session that holds the migration lock. */
  readonly pid: number;
}

/**
 * Applies the missing migrations, each in its own transaction. The function records them in the
 * table that drizzle's own migrator also uses.
 *
 * drizzle's migrator is not used, because it applies all migrations in a single transaction. The
 * tables that the first migration locks would stay locked until the last migration has ended. The
 * migrator also waits for locks without a timeout.
 *
 * @throws {MigrationError} if a migration fails.
 */
export async function applyMigrations(client: Sql, options: Options): Promise<void> {
  await liftTimeLimits(client);
  await createJournal(client);
  const [newest] = await client`
    select coalesce(max(created_at), 0) as at from drizzle.__drizzle_migrations`;
  for (const migration of readMigrationFiles(options)) {
    if (migration.folderMillis <= Number(newest?.['at'])) continue;
    try {
      await apply(client, options, migration);
    } catch (cause) {
      const name = migrationName(options.migrationsFolder, migration.folderMillis);
      throw new MigrationError(name, { cause });
    }
  }
}

async function apply(client: Sql, options: Options, migration: MigrationMeta): Promise<void> {
  await createIndexesOnline(client, migration.sql);
  await fillInBatches(client, migration.sql);
  while (!(await tryToApply(client, options, migration))) {
    await sleep(options.migrationPauseMs);
  }
}

/**
 * Tries to apply one migration.
 *
 * @returns `false` if a lock was not available within the timeout.
 */
async function tryToApply(
  client: Sql,
  { pid, tableLockTimeoutMs }: Options,
  { sql, hash, folderMillis }: MigrationMeta,
): Promise<boolean> {
  try {
    await client.begin(async (tx) => {
      const [session] = await tx`
        select set_config('lock_timeout', ${`${tableLockTimeoutMs}ms`}, true), pg_backend_pid() as pid`;
      // A different process id means that the driver has reconnected. Another replica of the
      // service may hold the migration lock now, so this attempt fails.
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
 * Switches off the time limits of this session, which the role or the database may have set. If the
 * creation of an index took longer than a limit, each retry would start from the beginning, and the
 * migration would never end. The limits are not connection parameters, because PgBouncer refuses
 * them.
 */
async function liftTimeLimits(client: Sql): Promise<void> {
  await client`select set_config(name, '0', false) from pg_settings where name in
    ('statement_timeout', 'lock_timeout', 'transaction_timeout')`;
}

/**
 * Creates the schema and the table in which migrations are recorded, as drizzle's migrator does.
 */
async function createJournal(client: Sql): Promise<void> {
  // `create … if not exists` needs the right to create, even if the table exists. So the function
  // first checks whether the table exists.
  const [found] = await client`
    select to_regclass('drizzle.__drizzle_migrations') is not null as "isThere"`;
  if (found?.['isThere']) return;
  await client`create schema if not exists drizzle`;
  await client`create table if not exists drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint)`;
}
