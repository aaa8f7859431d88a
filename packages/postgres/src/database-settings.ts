import { resolve } from 'node:path';

/** The place where the data is stored: a Postgres, or a directory with an embedded database. */
export type DatabasePlace =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly dataDir?: undefined };

/** The place that is used if nothing is configured: the embedded database in `.data`. */
export const defaultPlace: DatabasePlace = { kind: 'embedded', dataDir: resolve('.data') };

/** The time limits and intervals for the work with the database. */
export const defaultDatabaseLimits = {
  /** The timeout for opening a connection. */
  connectSeconds: 5,
  /**
   * How long a connection may be idle before it is closed. If a connection receives nothing for
   * longer, it is dead and not merely idle. The time is short, so that a dead connection is noticed
   * soon.
   */
  idleSeconds: 5,
  /**
   * How often a statement is sent in each connection pool for requests of callers, so that one
   * connection of the pool stays open.
   */
  keepOpenMs: 2_000,
  /** The timeout after which Postgres cancels a statement. */
  statementSeconds: 5,
  /** The timeout after which Postgres cancels a statement of an operator, such as a search. */
  operatorSeconds: 2,
  /**
   * The time after which an operator's statement is canceled when its request was aborted. Most
   * statements end before this time. A cancel request names only the session. If the request
   * arrives after the statement has ended, Postgres cancels the next statement of the session. That
   * statement may belong to another operator, who would get 503.
   */
  cancelAfterMs: 100,
  /**
   * The service's own timeout of a statement, including the wait for a connection. It is longer
   * than the timeout in Postgres, so that Postgres normally stops the work first. The service needs
   * its own timeout if Postgres does not respond at all, because the driver would wait forever.
   */
  answerWithinMs: 6_000,
  /**
   * How long a shutdown waits for running statements. By then, their callers have received a
   * response or were disconnected.
   */
  closeSeconds: 0.25,
  /** How often the service checks for connections on which nothing arrives. */
  checkSocketsMs: 100,
  /**
   * How often a heartbeat is sent on a channel, and how long a channel may be silent. TCP's own
   * keep-alive is not enough, because it takes longer and reaches only as far as the next proxy.
   */
  heartbeatMs: 2_000,
  heartbeatLostMs: 5_000,
  /**
   * The timeout of one host during a search for a writable Postgres, for connecting and responding.
   */
  searchSeconds: 2,
  /**
   * The mean pause between two searches for a writable Postgres. Each pause is random, from half to
   * one and a half times this value. Otherwise, all replicas of the service would query the hosts
   * at the same time.
   */
  searchPauseMs: 250,
  /** The pause between two attempts to reach Postgres while the service starts. */
  startPauseMs: 500,
  /**
   * The pause between two attempts to get the migration lock while another replica of the service
   * migrates the database.
   */
  lockPauseMs: 200,
  /**
   * How long a migration waits for the lock of a table. While the migration waits, all other
   * statements on the table wait too, even reads. During a wait for the table of API keys, replicas
   * of the previous version cannot read API keys.
   */
  tableLockTimeoutMs: 200,
  /**
   * The pause between two attempts of a migration to lock a table. Other statements can use the
   * table in the pause.
   */
  migrationPauseMs: 2_000,
  /**
   * How often a replica of the service checks, during an outage of the database, whether the outage
   * has ended.
   */
  probeEveryMs: 1_000,
};

export type DatabaseLimits = Readonly<typeof defaultDatabaseLimits>;

/** The options of a migration. */
export interface MigrationOptions {
  /** The folder with the SQL files and the journal that drizzle-kit wrote. */
  readonly migrationsFolder: string;
  /**
   * The tables with a column `search`. The column gets a trigram index if the extension `pg_trgm`
   * is available.
   */
  readonly searchedTables?: readonly string[];
  /**
   * The tables and views that the database role must be able to read and write, with their schemas.
   */
  readonly usedTables?: readonly string[];
}

/** The options for opening a database. */
export interface DatabaseOptions extends Partial<DatabaseLimits>, MigrationOptions {}
