import { systemClock, type Timer } from '@animal-store/runtime';
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
import { readPostgresUrl } from './postgres-url.ts';
import { followStatements, limitStatements, statement } from './statement.ts';

/** The number of operators' statements that run at the same time. Further statements wait. */
const operatorConnections = 2;

/**
 * The number of connections for requests. More connections would be slower, because several
 * statements can be in flight on each connection, and all connections share the CPU cores of
 * Postgres.
 */
const maxConnections = 3;

/**
 * Opens a Postgres. The first statement connects, so Postgres may still be down when this function
 * returns.
 *
 * @param text a URL like `postgres://…`. Several hosts are separated by commas.
 * @throws {StartupError} if the URL is invalid.
 */
export function openPostgres(
  text: string,
  { migrationsFolder, searchedTables = [], usedTables = [], ...limitOptions }: DatabaseOptions,
): OpenDatabase {
  const limits = { ...defaultDatabaseLimits, ...limitOptions };
  const { connectSeconds, idleSeconds, statementSeconds, closeSeconds } = limits;
  /**
   * How long a connection may receive nothing. It is longer than the idle time of a connection plus
   * the timeout of a statement.
   */
  const silentMs = (idleSeconds + statementSeconds + 1) * 1_000;
  const url = readPostgresUrl(text);
  // `answerMs` is shorter than `answerWithinMs`, the timeout of a statement in this process. So a
  // dead connection is destroyed first, and all its statements fail together.
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
    // If a result is incomplete, the error does not say which connection returned it. So all
    // connections are closed.
    if (error.code === incompleteAnswer) sockets.destroyAll();
    monitor.suspect(error);
  });

  let hasListened = false;

  /** Opens a socket for the driver. */
  async function open({ idle_timeout }: SocketOptions) {
    const isListener = idle_timeout === null;
    // When the listening connection is lost, the driver would reconnect without a pause. The
    // monitor adds a pause, which delays no caller, because no caller waits for this connection.
    if (isListener && hasListened) await monitor.whenFound();
    try {
      const socket = openSocket(await monitor.target());
      sockets.watch(socket, isListener ? limits.heartbeatLostMs : silentMs);
      if (isListener) {
        hasListened = true;
        // The monitor normally observes failed statements. But the driver itself sends the
        // statement LISTEN, so the monitor is notified of its failure when the socket closes.
        socket.once('close', () =>
          monitor.suspect(new DatabaseUnavailableError('CONNECTION_CLOSED')),
        );
      }
      return socket;
    } catch (error) {
      return openFailingSocket(toDatabaseError(error).code);
    }
  }

  /**
   * Opens a pool of connections.
   *
   * @param pool the name of the pool in the log.
   */
  function connect(
    pool: string,
    max: number,
    options: { statementSeconds?: number; maxPipelined?: number } = {},
  ) {
    const client = connectPostgres(url, url.hosts[0], {
      ...{ socket: open, connectSeconds, max, idleSeconds, statementSeconds },
      ...options,
    });
    const db = drizzle({ client });
    limitStatements(db, limits.answerWithinMs, { pool });
    return { client, db };
  }

  /**
   * Opens the pool for operators. Its statements have a shorter timeout. They are canceled shortly
   * after the operator's client has closed its connection.
   */
  function connectOperators() {
    const pool = connect('operators', operatorConnections, {
      statementSeconds: limits.operatorSeconds,
      // A statement waits in this process until a connection is free. If it waited in Postgres, it
      // would run even after its request has failed. When a statement that waits in Postgres is
      // canceled, the driver also gives its result to the next statement.
      maxPipelined: 0,
    });
    cancelAbandoned(pool.client, limits.cancelAfterMs);
    limitStatements(pool.db, limits.answerWithinMs, { pool: 'operators', mayBeSlow: true });
    return pool;
  }
  const { client, db } = connect('requests', maxConnections);
  // With one connection, all statements of one iteration of the event loop are sent in one write.
  // For a mix of lists, single reads and creations, this takes 8 % less CPU time in the server than
  // four connections, and 14 % less in Postgres.
  const reads = connect('reads', 1);
  const operators = connectOperators();
  const background = connect('background', 1);
  const stopKeepingOpen = keepOpen([db, reads.db], limits.keepOpenMs);
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
          searchedTables,
          usedTables,
        }),
      );
    },
    listen: (channel, listener) => listenTo(client, channel, { ...listener, ...limits }),
    address() {
      const { host, port, path } = monitor.address();
      return { ...(path === undefined ? { host, port } : { host: path }), name: url.database };
    },
    async close() {
      stopKeepingOpen();
      unfollow();
      monitor.close();
      const clients = [client, reads.client, operators.client, background.client];
      await Promise.all(clients.map((it) => it.end({ timeout: closeSeconds })));
      sockets.close();
    },
  };
}

const emptyStatement = statement('keep_open', (db) => db.execute(sql`select`));

/**
 * Keeps one connection open in each connection pool for requests of callers while there is no
 * traffic. Otherwise the first request after a pause would wait for a new connection, or would fail
 * if no connection can be opened.
 *
 * @returns a function that stops keeping the connections open.
 */
function keepOpen(pools: readonly Database[], everyMs: number): () => void {
  const asking = new Set<Database>();
  async function ask(db: Database): Promise<void> {
    if (asking.has(db)) return;
    asking.add(db);
    // The error of the statement is ignored, because the observers of statements have already
    // received it.
    await emptyStatement(db).catch(() => {});
    asking.delete(db);
  }
  const timer = systemClock.every(everyMs, () => {
    for (const db of pools) void ask(db);
  });
  return () => systemClock.cancel(timer);
}

/**
 * Cancels read statements in Postgres when the request that needs them was aborted. Statements of a
 * transaction are not canceled, because they change data and end soon.
 */
function cancelAbandoned(client: postgres.Sql, cancelAfterMs: number): void {
  const unsafe = client.unsafe.bind(client);
  function unsafeWithCancellation(...args: Parameters<typeof unsafe>) {
    const query = unsafe(...args);
    const signal = currentSignal();
    let waiting: Timer | undefined;
    const cancel = () => {
      if (cancelAfterMs === 0) query.cancel();
      else waiting = systemClock.after(cancelAfterMs, () => query.cancel()).unref();
    };
    signal?.addEventListener('abort', cancel, { once: true });
    // A query that has ended must not be canceled, because the cancel request would reach the next
    // statement of the session. `Promise.prototype.then` is called, because the `then` of the query
    // itself would send the query immediately.
    const end = () => {
      signal?.removeEventListener('abort', cancel);
      systemClock.cancel(waiting);
    };
    Promise.prototype.then.call(query, end, end);
    return query;
  }
  Object.assign(client, { unsafe: unsafeWithCancellation });
}
