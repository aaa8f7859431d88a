import { systemClock } from '@animal-store/runtime';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { currentSignal } from './abandoned-request.ts';
import type { Database, OpenDatabase } from './database.ts';
import { DatabaseUnavailableError, incompleteAnswer, toDatabaseError } from './database-error.ts';
import { faultOf } from './database-fault.ts';
import { type DatabaseOptions, defaultDatabaseLimits } from './database-settings.ts';
import { findPostgres } from './find-postgres.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { listenTo } from './postgres-channel.ts';
import { connectPostgres, type SocketOptions } from './postgres-driver.ts';
import { createPostgresMonitor } from './postgres-monitor.ts';
import { openFailingSocket, openSocket, watchSockets } from './postgres-socket.ts';
import { readPostgresUrl } from './read-postgres-url.ts';
import { followStatements, limitStatements, statement } from './statement.ts';

/** How many statements of operators run at the same time. More of them wait. */
const operatorConnections = 2;

/** More connections are slower: statements are pipelined, and Postgres shares the cores. */
const maxConnections = 3;

/**
 * Opens Postgres. Connects at the first statement, so it may be away.
 *
 * @param text `postgres://…`; several hosts are separated by commas.
 * @throws {StartupError} if the URL cannot be read.
 */
export function openPostgres(
  text: string,
  { migrationsFolder, searchedTables = [], ...given }: DatabaseOptions,
): OpenDatabase {
  const limits = { ...defaultDatabaseLimits, ...given };
  const { connectSeconds, idleSeconds, statementSeconds, closeSeconds } = limits;
  /** Longer than a connection may be idle and a statement may take, together. */
  const silentMs = (idleSeconds + statementSeconds + 1) * 1_000;
  const url = readPostgresUrl(text);
  // Shorter than `answerWithinMs`: all statements on a dead connection fail together.
  const sockets = watchSockets({
    answerMs: statementSeconds * 1_000 + 500,
    checkEveryMs: limits.checkSocketsMs,
  });
  const monitor = createPostgresMonitor({
    first: url.hosts[0],
    find: () => findPostgres(url, limits.searchSeconds),
    onReplaced: sockets.destroyAll,
    pauseMs: limits.searchPauseMs,
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
      sockets.watch(socket, isListener ? limits.heartbeatLostMs : silentMs);
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

  /** @param pool what the log calls it. */
  function connect(pool: string, max: number, statementSeconds = limits.statementSeconds) {
    const client = connectPostgres(url, url.hosts[0], {
      ...{ socket: open, connectSeconds, max, idleSeconds, statementSeconds },
    });
    const db = drizzle({ client });
    limitStatements(db, limits.answerWithinMs, { pool });
    return { client, db };
  }

  /** Connects for operators: their statements have less time, and are canceled when nobody waits for them. */
  function connectOperators() {
    const pool = connect('operators', operatorConnections, limits.operatorSeconds);
    cancelAbandoned(pool.client);
    limitStatements(pool.db, limits.answerWithinMs, { pool: 'operators', mayBeSlow: true });
    return pool;
  }
  const { client, db } = connect('requests', maxConnections);
  // The statements of a turn of the event loop are one write on it, and one read for Postgres: a mix of lists,
  // gets and creations takes 8 % less of the server's CPU and 14 % less of Postgres's than on four connections.
  const reads = connect('reads', 1);
  const operators = connectOperators();
  const background = connect('background', 1);
  const stopKeeping = keepOpen([db, reads.db], limits.keepOpenMs);
  return {
    db,
    reads: reads.db,
    operators: operators.db,
    background: background.db,
    async prepare(onWaiting) {
      monitor.use(
        await migratePostgres(text, {
          onUnavailable: onWaiting,
          onWaiting,
          limits,
          migrationsFolder,
        }),
      );
    },
    listen: (channel, listener) => listenTo(client, channel, { ...listener, ...limits }),
    address() {
      const { host, port, path } = monitor.address();
      return { ...(path === undefined ? { host, port } : { host: path }), name: url.database };
    },
    async close() {
      stopKeeping();
      unfollow();
      monitor.close();
      const clients = [client, reads.client, operators.client, background.client];
      await Promise.all(clients.map((it) => it.end({ timeout: closeSeconds })));
      sockets.close();
    },
  };
}

const askNothing = statement('keep_open', (db) => db.execute(sql`select`));

/**
 * Keeps a connection of each pool open that requests use, also when nobody asks: the first request after a rest would
 * wait for a new one, or fail with it.
 *
 * @returns ends that.
 */
function keepOpen(pools: readonly Database[], everyMs: number): () => void {
  const asking = new Set<Database>();
  async function ask(db: Database): Promise<void> {
    if (asking.has(db)) return;
    asking.add(db);
    // Whoever follows the statements is told.
    await askNothing(db).catch(() => {});
    asking.delete(db);
  }
  const timer = systemClock.every(everyMs, () => {
    for (const db of pools) void ask(db);
  });
  return () => systemClock.cancel(timer);
}

/**
 * Cancels statements in Postgres whose request is gone. Statements of a transaction are left alone: they change
 * something, and end soon.
 */
function cancelAbandoned(client: postgres.Sql): void {
  const unsafe = client.unsafe.bind(client);
  function unsafeUntilAbandoned(...args: Parameters<typeof unsafe>) {
    const query = unsafe(...args);
    currentSignal()?.addEventListener('abort', () => query.cancel(), { once: true });
    return query;
  }
  Object.assign(client, { unsafe: unsafeUntilAbandoned });
}
