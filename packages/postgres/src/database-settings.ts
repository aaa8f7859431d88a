import { resolve } from 'node:path';

/** Where the data is: in Postgres, or embedded in a directory. */
export type DatabasePlace =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly dataDir?: undefined };

/** The place of the data if no other is given. */
export const defaultPlace: DatabasePlace = { kind: 'embedded', dataDir: resolve('.data') };

/** The time limits of the database. */
export const defaultDatabaseLimits = {
  /** How long it may take to connect. */
  connectSeconds: 5,
  /** How long a connection may be idle. Short, so that a silent one is soon known to be dead and not idle. */
  idleSeconds: 5,
  /** How often each pool that requests use is asked, so that one of its connections stays open. */
  keepOpenMs: 2_000,
  /** How long Postgres works on a statement. */
  statementSeconds: 5,
  /** How long Postgres works on a statement of an operator, such as a search. */
  operatorSeconds: 2,
  /**
   * How long a statement may take, including its wait for a connection. Longer than Postgres's own limit,
   * which also stops the work. This one is for a Postgres that does not answer at all, for which the driver
   * would wait forever.
   */
  answerWithinMs: 6_000,
  /** How long a stop waits for statements. Their callers have been answered or disconnected by then. */
  closeSeconds: 0.25,
  /** How often silent connections are looked for. */
  checkSocketsMs: 100,
  /**
   * How often a heartbeat is sent on a channel, and how long none may arrive. TCP's own keep-alive takes
   * longer, and only reaches the next proxy.
   */
  heartbeatMs: 2_000,
  heartbeatLostMs: 5_000,
  /** How long one host may take to accept a connection and to answer, when a writable one is looked for. */
  searchSeconds: 2,
  /** The pause between two searches. It varies by half, so that replicas spread. */
  searchPauseMs: 250,
  /** How often a start looks for a Postgres that is away. */
  startPauseMs: 500,
  /** How often a replica asks for the lock that another one migrates under. */
  lockPauseMs: 200,
  /**
   * How long a migration waits for a lock of a table. Whoever needs the table waits behind it, also to read:
   * replicas of the version before look up keys in it.
   */
  tableLockTimeoutMs: 200,
  /** The pause before the next attempt, in which others are served. */
  migrationPauseMs: 2_000,
  /** How often a replica looks whether an outage is over. */
  probeEveryMs: 1_000,
};

export type DatabaseLimits = Readonly<typeof defaultDatabaseLimits>;

/** What a database is migrated to. */
export interface MigrationOptions {
  /** The SQL files that drizzle-kit wrote, with their journal. */
  readonly migrationsFolder: string;
  /** Tables with a column `search`, which gets an index of trigrams where the extension may be had. */
  readonly searchedTables?: readonly string[];
}

/** How a database is opened. */
export interface DatabaseOptions extends Partial<DatabaseLimits>, MigrationOptions {}
