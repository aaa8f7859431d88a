import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { StartupError } from '../shared/startup-error.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import type { OpenDatabase } from './database.ts';
import {
  DatabaseUnavailableError,
  incompleteAnswer,
  readOnly,
  toDatabaseError,
} from './database-error.ts';
import { faultOf } from './database-fault.ts';
import { findPostgres } from './find-postgres.ts';
import { migrationsFolder } from './migrations.ts';
import { createIndexesOnline } from './online-indexes.ts';
import { driverOptions, type SocketOptions } from './postgres-driver.ts';
import { createPostgresMonitor } from './postgres-monitor.ts';
import { type Address, openFailingSocket, openSocket, watchSockets } from './postgres-socket.ts';
import * as schema from './schema.ts';
import { followStatements } from './statement.ts';

/** More connections are slower: statements are pipelined, and Postgres shares the cores. */
const maxConnections = 4;

const connectSeconds = 5;
const statementSeconds = 5;
/** Short, so that a silent connection is soon known to be dead and not idle. */
const idleSeconds = 5;
/** Longer than a connection may be idle and a statement may take, together. */
const silentMs = (idleSeconds + statementSeconds + 1) * 1_000;
/**
 * How often a heartbeat is sent on a channel, and how long none may arrive. TCP's own keep-alive takes
 * longer, and only reaches the next proxy.
 */
const heartbeatMs = 2_000;
const heartbeatLostMs = 5_000;
/** How often a start looks for a Postgres that is away. */
const searchAgainMs = 500;
/** How long a stop waits for statements. Their callers have been answered or disconnected by then. */
const closeSeconds = 0.25;
/**
 * The advisory lock that a replica holds while it migrates. If several start at once, one migrates;
 * the others wait, and find nothing left to do.
 */
const migrationLock = 7_301_874_402_561;
/** How often a replica asks for the lock. */
const lockAgainMs = 200;

/**
 * Opens Postgres. Connects at the first statement, so it may be away.
 *
 * @param url `postgres://…`; several hosts are separated by commas.
 * @throws {StartupError} if the URL cannot be read.
 */
export function openPostgres(url: string): OpenDatabase {
  const addresses = readAddresses(url);
  // Shorter than `answerWithinMs`: all statements on a dead connection fail together.
  const sockets = watchSockets({ answerMs: statementSeconds * 1_000 + 500 });
  const monitor = createPostgresMonitor({
    first: addresses[0],
    find: () => findPostgres(url, addresses),
    onReplaced: sockets.destroyAll,
  });
  const unfollow = followStatements((_statement, error) => {
    if (!(error instanceof DatabaseUnavailableError)) return;
    if (faultOf(error.code).remedy === 'time') return;
    // It is not known on which connection.
    if (error.code === incompleteAnswer) sockets.destroyAll();
    monitor.suspect(error);
  });

  let hasListened = false;

  /** The driver wants a socket. */
  async function open({ idle_timeout }: SocketOptions) {
    const isListener = idle_timeout === null;
    // Nobody waits for it, and the driver itself would try again without a pause.
    if (isListener && hasListened) await monitor.whenFound();
    try {
      const socket = openSocket(await monitor.target());
      sockets.watch(socket, isListener ? heartbeatLostMs : silentMs);
      if (isListener) {
        hasListened = true;
        // It is no statement of ours, so nothing else tells of its failure.
        socket.once('close', () =>
          monitor.suspect(new DatabaseUnavailableError('CONNECTION_CLOSED')),
        );
      }
      return socket;
    } catch (error) {
      return openFailingSocket(toDatabaseError(error).code);
    }
  }

  const client = postgres(url, {
    ...driverOptions(addresses[0], open),
    max: maxConnections,
    connect_timeout: connectSeconds,
    idle_timeout: idleSeconds,
    connection: { application_name: 'animal-store', statement_timeout: statementSeconds * 1_000 },
  });
  return {
    db: drizzle({ client, schema }),
    async prepare(onWaiting) {
      monitor.use(await migratePostgres(url, onWaiting));
    },
    async listen(channel, { heartbeat, goodbye, onMessage, onListening }) {
      let sending: Promise<unknown> | undefined;
      // Sent through the pool, because postgres.js keeps the listening connection to itself. Sent on
      // the same channel: with a second one, each failed reconnect would queue one more LISTEN.
      // One at a time: a Postgres that continues after a hang must not send several at once.
      const beat = () => {
        sending ??= client
          .notify(channel, heartbeat())
          .catch(() => {})
          .finally(() => {
            sending = undefined;
          });
      };
      const listening = Promise.withResolvers<void>();
      const first = client.listen(channel, onMessage, () => {
        listening.resolve();
        onListening();
        beat();
      });
      // If it fails, the driver listens again each time that its connection closes. A replica that starts
      // during a failover must not end because of it.
      first.catch(() => {});
      await listening.promise;
      const beating = setInterval(beat, heartbeatMs);
      async function leave(): Promise<void> {
        // A heartbeat after the message of leaving would cancel it.
        await sending;
        const unlisten = async () => (await first).unlisten();
        await Promise.allSettled([client.notify(channel, goodbye), unlisten()]);
      }
      return {
        beat,
        close() {
          clearInterval(beating);
          // These are statements, and would wait for a Postgres that is down.
          return waitAtMost(closeSeconds * 1_000, leave(), () => {});
        },
      };
    },
    async close() {
      unfollow();
      monitor.close();
      await client.end({ timeout: closeSeconds });
      sockets.close();
    },
  };
}

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
    connect_timeout: connectSeconds,
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

/** @throws {StartupError} if the driver cannot read the URL, whose password it might repeat. */
function readAddresses(url: string): [Address, ...Address[]] {
  try {
    const { host, port, path } = postgres(url).options;
    const toAddress = (name = 'localhost', index = 0): Address => ({
      host: name,
      port: port[index] ?? 5432,
      path: path || undefined,
    });
    return [toAddress(host[0]), ...host.slice(1).map((name, index) => toAddress(name, index + 1))];
  } catch {
    throw new StartupError(
      'DATABASE_URL: expected postgres://user:password@host/name, with special characters percent-encoded',
    );
  }
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
