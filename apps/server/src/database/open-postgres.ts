import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { StartupError } from '../startup-error.ts';
import type { OpenDatabase } from './database.ts';
import { migrationLock, migrationsFolder } from './migrate.ts';
import { openPoolSockets, openSocket, type SocketOptions } from './postgres-socket.ts';
import * as schema from './schema.ts';

/** More connections are slower: statements are pipelined, and Postgres shares the cores. */
const maxConnections = 4;

const connectSeconds = 5;
const statementSeconds = 5;
/** Short, so that silence soon tells a dead connection from an idle one. */
const idleSeconds = 5;
/**
 * How often a message is sent to whoever listens, and how long none may arrive. Without any, a quiet
 * channel could not be told from a connection that a network has dropped without a word. TCP's own
 * keep-alive would tell it later, and only as far as to the next proxy.
 */
const pulseMs = 2_000;
const pulseLostMs = 5_000;
/** The message, which says nothing but that messages arrive. */
const pulse = '';
/** When a stop gives up on statements; whoever sent them has been answered or cut off by then. */
const closeSeconds = 0.25;

/**
 * Connects to Postgres and migrates it.
 *
 * @param url `postgres://…`
 * @throws {StartupError} if it cannot be reached or migrated.
 */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  await migrateOnce(url);
  const sockets = openPoolSockets({
    // Before the statement's caller gives up (`answerWithinMs`): then all learn it at once.
    answerMs: statementSeconds * 1_000 + 500,
    silentMs: (idleSeconds + statementSeconds + 1) * 1_000,
    listenerSilentMs: pulseLostMs,
  });
  const client = postgres(url, {
    ...driverOptions(sockets.open),
    max: maxConnections,
    idle_timeout: idleSeconds,
    connection: { application_name: 'animal-store', statement_timeout: statementSeconds * 1_000 },
  });
  return {
    db: drizzle({ client, schema }),
    async listen(channel, { onMessage, onListening }) {
      const { unlisten } = await client.listen(
        channel,
        (payload) => payload !== pulse && onMessage(payload),
        onListening,
      );
      // Through the pool: postgres.js keeps the connection that listens to itself. And on the same
      // channel: with two, each failed attempt to connect again would leave it one more LISTEN to
      // send.
      const pulsing = setInterval(() => client.notify(channel, pulse).catch(() => {}), pulseMs);
      return () => {
        clearInterval(pulsing);
        // To say so takes a statement, for which a Postgres that is away would keep us waiting.
        return Promise.race([unlisten().catch(() => {}), sleep(closeSeconds * 1_000)]);
      };
    },
    async close() {
      await client.end({ timeout: closeSeconds });
      sockets.close();
    },
  };
}

/** @param socket is missing from the driver's types, though it has the option. */
function driverOptions(socket: (options: SocketOptions) => Duplex | Promise<Duplex>) {
  return {
    socket,
    connect_timeout: connectSeconds,
    // The driver's own pause grows to 20 s for each statement in turn, and as long would a Postgres
    // that is back look dead.
    backoff: () => 0,
    onnotice: () => {},
  };
}

async function migrateOnce(url: string): Promise<void> {
  // A connection of its own: an advisory lock belongs to a session, and a pool has several.
  const client = connectOnce(url);
  try {
    await client`select pg_advisory_lock(${migrationLock})`;
    await migrate(drizzle({ client }), { migrationsFolder });
  } catch (error) {
    throw new StartupError(`DATABASE_URL: cannot open the database: ${reasonOf(error)}`);
  } finally {
    // Ending the session releases the lock, whatever happened.
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

/** What the server or the socket said, which holds no password; drizzle's own message holds SQL. */
function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  if (!(cause instanceof Error)) return 'unknown error';
  // Of a host with several addresses, each of which failed.
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) {
    return cause.errors[0].message;
  }
  // The driver's own message is a word: "write CONNECT_TIMEOUT host:port".
  if ('code' in cause && cause.code === 'CONNECT_TIMEOUT') {
    return `no Postgres answered within ${connectSeconds} s`;
  }
  return cause.message;
}
