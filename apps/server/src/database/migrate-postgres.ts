import postgres from 'postgres';
import { sleep } from '../shared/clock.ts';
import { StartupError } from '../shared/startup-error.ts';
import { defaultTimings, type Timings } from '../shared/timings.ts';
import { applyMigrations } from './apply-migrations.ts';
import type { Wait } from './database.ts';
import { DatabaseUnavailableError, readOnly, toDatabaseError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import { findPostgres } from './find-postgres.ts';
import { readAddresses, urlOfOneHost } from './postgres-addresses.ts';
import { driverOptions } from './postgres-driver.ts';
import { type Address, openSocket } from './postgres-socket.ts';
import { watchLockWaits } from './watch-lock-waits.ts';

/**
 * The advisory lock that a replica holds while it migrates. If several start at once, one migrates;
 * the others wait, and find nothing left to do.
 */
const migrationLock = 7_301_874_402_561;

const otherMigrates = 'Another replica migrates the database.';

/**
 * Applies the migrations that the database lacks. Waits for locks, as long as it takes.
 *
 * @param options.onUnavailable called with the reason after each attempt, while the database cannot be reached
 * or is read-only. Without it, the first attempt is the last.
 * @param options.onWaiting called again and again: with what it waits for, or `undefined` if it does not.
 * @returns where the database is.
 * @throws {StartupError} if it cannot be migrated, or the settings are wrong.
 */
export async function migratePostgres(
  url: string,
  options: {
    onUnavailable?: (wait: Wait) => void;
    onWaiting?: (wait: Wait | undefined) => void;
    timings?: Timings['database'];
  } = {},
): Promise<Address> {
  const { onUnavailable, onWaiting = () => {}, timings = defaultTimings.database } = options;
  const addresses = readAddresses(url);
  for (;;) {
    try {
      return await migrate(url, { addresses, onWaiting, timings });
    } catch (error) {
      const { remedy, reason } = faultOf(toDatabaseError(error).code);
      const canWait = remedy === 'connection' || remedy === 'time';
      if (onUnavailable === undefined || !canWait) throw cannotOpen(error, timings);
      onUnavailable({ reason, id: reason });
    }
    await sleep(timings.startPauseMs);
  }
}

async function migrate(
  url: string,
  options: {
    addresses: readonly Address[];
    onWaiting: (wait: Wait | undefined) => void;
    timings: Timings['database'];
  },
): Promise<Address> {
  const { addresses, onWaiting, timings } = options;
  const { connectSeconds, closeSeconds, searchSeconds, lockPauseMs } = timings;
  const { address, isWritable } = await findPostgres(url, addresses, searchSeconds);
  if (!isWritable) throw new DatabaseUnavailableError(readOnly);
  await using opened = new AsyncDisposableStack();
  const connect = () => {
    const client = postgres(urlOfOneHost(url), {
      ...driverOptions(address, { socket: () => openSocket(address), connectSeconds }),
      max: 1,
      connection: { application_name: 'animal-store migration' },
    });
    // The end of the session releases the lock.
    opened.defer(() => client.end({ timeout: closeSeconds }));
    return client;
  };
  // A separate connection: an advisory lock belongs to a session, and a pool has several.
  const client = connect();
  // Not pg_advisory_lock: an index that is created online waits for every statement that began before
  // it, and so for that of a replica that waits for the lock.
  let pid = await tryToLock(client);
  while (pid === undefined) {
    onWaiting({ reason: otherMigrates, id: otherMigrates });
    await sleep(lockPauseMs);
    pid = await tryToLock(client);
  }
  const watching = watchLockWaits(connect(), { ...timings, pid, onWaiting });
  // Not awaited: it may hang.
  opened.defer(() => {
    void watching.stop();
  });
  await applyMigrations(client, { ...timings, pid });
  return address;
}

/** @returns the session that has the lock, if this one could have it. */
async function tryToLock(client: postgres.Sql): Promise<number | undefined> {
  const [row] = await client`
    select pg_try_advisory_lock(${migrationLock}) as "isLocked", pg_backend_pid() as pid`;
  return row?.['isLocked'] === true ? row['pid'] : undefined;
}

function cannotOpen(error: unknown, timings: Timings['database']): StartupError {
  return new StartupError(`DATABASE_URL: cannot open the database: ${reasonOf(error, timings)}`);
}

/** The message of the server or the socket, which holds no password. drizzle's message holds SQL. */
function reasonOf(error: unknown, { connectSeconds }: Timings['database']): string {
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
