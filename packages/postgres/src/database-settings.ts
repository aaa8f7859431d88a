import { resolve } from 'node:path';

/** Where the data is stored: in Postgres, or embedded in a directory. */
export type DatabasePlace =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly dataDir?: undefined };

/** The default place of the data. */
export const defaultPlace: DatabasePlace = { kind: 'embedded', dataDir: resolve('.data') };

/** The time limits of the database. */
export const defaultDatabaseLimits = {
  /** The timeout of a new connection. */
  connectSeconds: 5,
  /**
   * How long a connection may be idle. The time is short, so that a silent connection soon counts
   * as dead and not as idle.
   */
  idleSeconds: 5,
  /** How often each pool of requests is queried, so that one of its connections stays open. */
  keepOpenMs: 2_000,
  /** How long Postgres may work on a statement. */
  statementSeconds: 5,
  /** How long Postgres may work on a statement of an operator, such as a search. */
  operatorSeconds: 2,
  /**
   * The timeout of a statement, including the wait for a connection. It is longer than Postgres's
   * own timeout, which also stops the work. This timeout is for a Postgres that does not respond at
   * all: the driver would wait forever.
   */
  answerWithinMs: 6_000,
  /**
   * How long a shutdown waits for statements. Their callers have received a response or were
   * disconnected by then.
   */
  closeSeconds: 0.25,
  /** How often the service looks for silent connections. */
  checkSocketsMs: 100,
  /**
   * How often a heartbeat is sent on a channel, and how long a channel may be silent. TCP's own
   * keep-alive takes longer, and only reaches the next proxy.
   */
  heartbeatMs: 2_000,
  heartbeatLostMs: 5_000,
  /**
   * How long one host may take to accept a connection and to respond, when the service looks for a
   * writable one.
   */
  searchSeconds: 2,
  /**
   * The pause between two searches. It varies by half, so that replicas do not search at the same
   * time.
   */
  searchPauseMs: 250,
  /** How often a start looks for an unreachable Postgres. */
  startPauseMs: 500,
  /** How often a replica tries to get the lock while another replica migrates. */
  lockPauseMs: 200,
  /**
   * How long a migration waits for a lock of a table. All other statements on the table queue
   * behind it, also reads: replicas of the previous version look up keys in the table.
   */
  tableLockTimeoutMs: 200,
  /** The pause before the next attempt. Other statements use the table in this pause. */
  migrationPauseMs: 2_000,
  /** How often a replica checks whether an outage is over. */
  probeEveryMs: 1_000,
};

export type DatabaseLimits = Readonly<typeof defaultDatabaseLimits>;

/** The schema to which a database is migrated. */
export interface MigrationOptions {
  /** The SQL files that drizzle-kit wrote, with their journal. */
  readonly migrationsFolder: string;
  /**
   * Tables with a column `search`. The column gets a trigram index if the extension is available.
   */
  readonly searchedTables?: readonly string[];
}

/** The options for opening a database. */
export interface DatabaseOptions extends Partial<DatabaseLimits>, MigrationOptions {}
