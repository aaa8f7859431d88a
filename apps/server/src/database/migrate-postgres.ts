import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { StartupError } from '../shared/startup-error.ts';
import { DatabaseUnavailableError, readOnly, toDatabaseError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import { findPostgres } from './find-postgres.ts';
import { migrationsFolder } from './migrations.ts';
import { createIndexesOnline } from './online-indexes.ts';
import { readAddresses } from './postgres-addresses.ts';
import { closeSeconds, connectSeconds, driverOptions } from './postgres-driver.ts';
import { type Address, openSocket } from './postgres-socket.ts';

/** How often a start looks for a Postgres that is away. */
const searchAgainMs = 500;
/**
 * The advisory lock that a replica holds while it migrates. If several start at once, one migrates;
 * the others wait, and find nothing left to do.
 */
const migrationLock = 7_301_874_402_561;
/** How often a replica asks for the lock. */
const lockAgainMs = 200;

/**
 * Applies the migrations that the database lacks.
 *
 * @param onWaiting called with the reason after each attempt, while the database cannot be reached or is
 * read-only. Without it, the first attempt is the last.
 * @returns where the database is.
 * @throws {StartupError} if it cannot be migrated, or the settings are wrong.
 */
export async function migratePostgres(
  url: string,
  onWaiting?: (reason: string) => void,
): Promise<Address> {
  const addresses = readAddresses(url);
  for (;;) {
    try {
      return await migrate(url, addresses);
    } catch (error) {
      const { remedy, reason } = faultOf(toDatabaseError(error).code);
      const canWait = remedy === 'connection' || remedy === 'time';
      if (onWaiting === undefined || !canWait) throw cannotOpen(error);
      onWaiting(reason);
    }
    await sleep(searchAgainMs);
  }
}

async function migrate(url: string, addresses: readonly Address[]): Promise<Address> {
  const { address, isWritable } = await findPostgres(url, addresses);
  if (!isWritable) throw new DatabaseUnavailableError(readOnly);
  // A separate connection: an advisory lock belongs to a session, and a pool has several.
  const client = postgres(url, {
    ...driverOptions(address, () => openSocket(address)),
    max: 1,
  });
  try {
    // Not pg_advisory_lock: an index that is created online waits for every statement that began before
    // it, and so for that of a replica that waits for the lock.
    while (!(await tryToLock(client))) await sleep(lockAgainMs);
    await createIndexesOnline(client);
    await applyMigrations(drizzle({ client }), { migrationsFolder });
    return address;
  } finally {
    // The end of the session releases the lock.
    await client.end({ timeout: closeSeconds });
  }
}

async function tryToLock(client: postgres.Sql): Promise<boolean> {
  const [row] = await client`select pg_try_advisory_lock(${migrationLock}) as "isLocked"`;
  return row?.['isLocked'] === true;
}

function cannotOpen(error: unknown): StartupError {
  return new StartupError(`DATABASE_URL: cannot open the database: ${reasonOf(error)}`);
}

/** The message of the server or the socket, which holds no password. drizzle's message holds SQL. */
function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  if (!(cause instanceof Error)) return 'unknown error';
  // A host with several addresses, each of which failed.
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) {
    return cause.errors[0].message;
  }
  // The driver's message is not a sentence: "write CONNECT_TIMEOUT host:port".
  if ('code' in cause && cause.code === 'CONNECT_TIMEOUT') {
    return `no Postgres answered within ${connectSeconds} s`;
  }
  return cause.message;
}
