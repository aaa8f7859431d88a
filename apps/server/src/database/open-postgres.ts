import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { StartupError } from '../shared/startup-error.ts';
import type { OpenDatabase } from './database.ts';
import { migrationsFolder } from './migrations.ts';
import { openPoolSockets, openSocket, type SocketOptions } from './postgres-socket.ts';
import * as schema from './schema.ts';
import { textArrayType } from './statement.ts';

/** More connections are slower: statements are pipelined, and Postgres shares the cores. */
const maxConnections = 4;

const connectSeconds = 5;
const statementSeconds = 5;
/** Short, so that a silent connection is soon known to be dead and not idle. */
const idleSeconds = 5;
/**
 * How often a heartbeat is sent on a channel, and how long none may arrive. TCP's own keep-alive takes
 * longer, and only reaches the next proxy.
 */
const heartbeatMs = 2_000;
const heartbeatLostMs = 5_000;
/** How long a stop waits for statements. Their callers have been answered or disconnected by then. */
const closeSeconds = 0.25;
/**
 * The advisory lock that a replica holds while it migrates. If several start at once, one migrates;
 * the others wait, and find nothing left to do.
 */
const migrationLock = 7_301_874_402_561;

/**
 * Connects to Postgres and migrates it.
 *
 * @param url `postgres://…`
 * @throws {StartupError} if it cannot be reached or migrated.
 */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  await migratePostgres(url);
  const sockets = openPoolSockets({
    // Shorter than `answerWithinMs`: all statements on a dead connection fail together.
    answerMs: statementSeconds * 1_000 + 500,
    silentMs: (idleSeconds + statementSeconds + 1) * 1_000,
    listenerSilentMs: heartbeatLostMs,
  });
  const client = postgres(url, {
    ...driverOptions(sockets.open),
    max: maxConnections,
    idle_timeout: idleSeconds,
    connection: { application_name: 'animal-store', statement_timeout: statementSeconds * 1_000 },
  });
  return {
    db: drizzle({ client, schema }),
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
      const { unlisten } = await client.listen(channel, onMessage, () => {
        onListening();
        beat();
      });
      const beating = setInterval(beat, heartbeatMs);
      async function leave(): Promise<void> {
        // A heartbeat after the message of leaving would cancel it.
        await sending;
        await Promise.allSettled([client.notify(channel, goodbye), unlisten()]);
      }
      return {
        beat,
        close() {
          clearInterval(beating);
          // These are statements, and would wait for a Postgres that is down.
          return Promise.race([leave(), sleep(closeSeconds * 1_000)]);
        },
      };
    },
    async close() {
      await client.end({ timeout: closeSeconds });
      sockets.close();
    },
  };
}

/** @param socket an option of the driver that its types lack. */
function driverOptions(socket: (options: SocketOptions) => Duplex | Promise<Duplex>) {
  return {
    socket,
    connect_timeout: connectSeconds,
    // The driver's own pause between attempts grows to 20 s. A Postgres that is back would look dead
    // for as long.
    backoff: () => 0,
    // The driver would ask each new connection for the types of all arrays, and nobody handles the
    // failure of that query: a connection that was lost at that moment ended the process.
    fetch_types: false,
    types: { textArray: textArrayType },
    onnotice: () => {},
  };
}

/**
 * Applies the migrations that the database lacks.
 *
 * @param url `postgres://…`
 * @throws {StartupError} if it cannot be reached or migrated.
 */
export async function migratePostgres(url: string): Promise<void> {
  // A separate connection: an advisory lock belongs to a session, and a pool has several.
  const client = connectOnce(url);
  try {
    await client`select pg_advisory_lock(${migrationLock})`;
    await migrate(drizzle({ client }), { migrationsFolder });
  } catch (error) {
    throw new StartupError(`DATABASE_URL: cannot open the database: ${reasonOf(error)}`);
  } finally {
    // The end of the session releases the lock.
    await client.end({ timeout: closeSeconds });
  }
}

/** @throws {StartupError} if the driver cannot read the URL, whose password it might repeat. */
function connectOnce(url: string): postgres.Sql {
  try {
    return postgres(url, { ...driverOptions(openSocket), max: 1 });
  } catch {
    throw new StartupError(
      'DATABASE_URL: expected postgres://user:password@host/name, with special characters percent-encoded',
    );
  }
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
