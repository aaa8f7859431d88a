import { StartupError, sleep } from '@animal-store/runtime';
import type postgres from 'postgres';
import { applyMigrations } from './apply-migrations.ts';
import { checkPermissions, grantPermissions } from './check-permissions.ts';
import type { Wait } from './database.ts';
import { DatabaseUnavailableError, readOnly, toDatabaseError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import {
  type DatabaseLimits,
  defaultDatabaseLimits,
  type MigrationOptions,
} from './database-settings.ts';
import { findPostgres } from './find-postgres.ts';
import { describeCause, MigrationError } from './migration-error.ts';
import { connectPostgres } from './postgres-driver.ts';
import { type Address, openSocket } from './postgres-socket.ts';
import { type PostgresUrl, readPostgresUrl } from './postgres-url.ts';
import { refusesTls } from './probe-tls.ts';
import { checkOwnSessions, checkSession, poolerFault } from './session-settings.ts';
import { createTrigramIndexes } from './trigram-indexes.ts';
import { watchLockWaits } from './watch-lock-waits.ts';

/**
 * The number of the advisory lock that a replica holds while it migrates. If several replicas of
 * the service start at the same time, one of them migrates the database. The other replicas wait,
 * and then find nothing to do.
 */
const migrationLock = 7_301_874_402_561;

/** The SQLSTATE of a statement for which the database role lacks a permission. */
const insufficientPrivilege = '42501';

const otherMigrates = 'Another replica is migrating the database.';

/**
 * Applies the missing migrations. It waits for locks as long as necessary.
 *
 * @param options.onUnavailable called with the reason after each failed attempt, while the database
 *   cannot be reached or is read-only. Without this function, there is only one attempt.
 * @param options.onWaiting called repeatedly, with the thing that the migration waits for, or
 *   `undefined` if it does not wait.
 * @returns the address of the database.
 * @throws {StartupError} if the database cannot be migrated, or the settings are wrong.
 */
export async function migratePostgres(
  text: string,
  options: MigrationOptions & {
    onUnavailable?: (wait: Wait) => void;
    onWaiting?: (wait: Wait | undefined) => void;
    limits?: Partial<DatabaseLimits>;
  },
): Promise<Address> {
  const { onUnavailable, onWaiting = () => {} } = options;
  const limits = { ...defaultDatabaseLimits, ...options.limits };
  const url = readPostgresUrl(text);
  for (;;) {
    try {
      return await migrate(url, { ...options, onWaiting, limits });
    } catch (error) {
      if (error instanceof StartupError) throw error;
      await throwIfTlsIsRefused(url, error, limits);
      const { remedy, reason } = faultOf(toDatabaseError(error).code);
      const canWait =
        poolerFault(causeOf(error)) === undefined && (remedy === 'connection' || remedy === 'time');
      if (onUnavailable === undefined || !canWait) throw cannotOpen(error, limits);
      onUnavailable({ reason, id: reason });
    }
    await sleep(limits.startPauseMs);
  }
}

async function migrate(
  url: PostgresUrl,
  options: MigrationOptions & {
    onWaiting: (wait: Wait | undefined) => void;
    limits: DatabaseLimits;
  },
): Promise<Address> {
  const { migrationsFolder, searchedTables = [], usedTables = [], onWaiting, limits } = options;
  const { connectSeconds, closeSeconds, searchSeconds, statementSeconds, lockPauseMs } = limits;
  const { address, isWritable } = await findPostgres(url, searchSeconds);
  if (!isWritable) throw new DatabaseUnavailableError(readOnly);
  await using opened = new AsyncDisposableStack();
  const connect = () => {
    const client = connectPostgres(url, address, {
      ...{ socket: () => openSocket(address), connectSeconds, max: 1, purpose: 'migration' },
      // This timeout applies to the statements before the migration, because the database role may
      // have a timeout that is too short for them. The migration itself has no timeout.
      statementSeconds,
    });
    opened.defer(() => client.end({ timeout: closeSeconds }));
    return client;
  };
  // The migration needs its own connection, because an advisory lock belongs to a session, and a
  // pool has several sessions.
  const client = connect();
  const other = connect();
  await checkSession(client);
  await checkOwnSessions(client, other);
  // `pg_advisory_lock` is not used, because it waits inside a statement, and could cause a
  // deadlock. The replica that migrates creates indexes online, and Postgres then waits for all
  // earlier statements. One of them would be the statement of a replica that waits for the
  // migration lock.
  let pid = await tryToLock(client);
  while (pid === undefined) {
    onWaiting({ reason: otherMigrates, id: otherMigrates });
    await sleep(lockPauseMs);
    pid = await tryToLock(client);
  }
  // When this session ends, Postgres releases the migration lock, and forgets the settings of the
  // migration. But a pooler may keep the session for its next client. With an empty
  // `server_reset_query` in PgBouncer, the next replica would wait for the lock forever. The reset
  // fails only if the connection is lost, and then Postgres has ended the session.
  opened.defer(async () => {
    await client.unsafe('discard all').catch(() => {});
  });
  const watching = watchLockWaits(other, { ...limits, pid, onWaiting });
  // `stop` is not awaited, because the query of the watcher may hang.
  opened.defer(() => {
    void watching.stop();
  });
  await applyMigrations(client, { ...limits, migrationsFolder, pid });
  await checkPermissions(client, usedTables);
  await createTrigramIndexes(client, searchedTables);
  return address;
}

/**
 * Tries to get the migration lock.
 *
 * @returns the process id of the session that holds the lock, or `undefined` if another session has
 *   it.
 */
async function tryToLock(client: postgres.Sql): Promise<number | undefined> {
  const [row] = await client`
    select pg_try_advisory_lock(${migrationLock}) as "isLocked", pg_backend_pid() as pid`;
  return row?.['isLocked'] === true ? row['pid'] : undefined;
}

function cannotOpen(error: unknown, limits: DatabaseLimits): StartupError {
  const reason = reasonOf(error, limits);
  return new StartupError(
    error instanceof MigrationError
      ? `DATABASE_URL: cannot migrate the database: ${error.message}: ${reason}. Its transaction was undone. Correct the cause, and start again: completed migrations are not repeated.`
      : `DATABASE_URL: cannot open the database: ${reason}`,
  );
}

/**
 * Returns the reason of a failed migration, for the log. The messages of Postgres and of the socket
 * contain no password. drizzle's own message would contain SQL.
 */
function reasonOf(error: unknown, { connectSeconds }: DatabaseLimits): string {
  const cause = causeOf(error);
  const fault = poolerFault(cause);
  if (fault !== undefined) return fault;
  const { code } = cause as { code?: unknown };
  // The service reports a timeout with a sentence of its own, because the driver's message is only
  // "write CONNECT_TIMEOUT host:port".
  if (code === 'CONNECT_TIMEOUT') {
    return `no response from Postgres within ${connectSeconds} s`;
  }
  // Node's own message advises an option of the command line, which a container does not show.
  if (/^(?:UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_/.test(String(code))) {
    return `the service does not trust the certificate of Postgres (${code}). Write sslrootcert with the file of the certificate authority into the URL, or set NODE_EXTRA_CA_CERTS`;
  }
  if (code === insufficientPrivilege) {
    return `${cause.message}. ${grantPermissions}`;
  }
  return describeCause(cause);
}

/**
 * Checks whether a host has no TLS although the URL requires TLS. Without this check, the start
 * would retry forever.
 *
 * @throws {StartupError} if a host has no TLS.
 */
async function throwIfTlsIsRefused(
  { hosts, tls }: PostgresUrl,
  error: unknown,
  { searchSeconds }: DatabaseLimits,
): Promise<void> {
  if (tls === 'disable' || tls === 'prefer') return;
  if (!/before secure TLS connection/.test(causeOf(error).message)) return;
  const answers = await Promise.all(hosts.map((host) => refusesTls(host, searchSeconds)));
  if (!answers.includes(true)) return;
  throw new StartupError(
    `DATABASE_URL: Postgres has no TLS, and sslmode=${tls} requires it. To encrypt the connection, set ssl = on in Postgres. If the network is trusted, write sslmode=disable`,
  );
}

function causeOf(error: unknown): Error & { code?: unknown } {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error ? cause : new Error('unknown error');
}
