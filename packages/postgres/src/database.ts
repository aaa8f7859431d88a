import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** The database as repositories see it: the same for Postgres and for PGlite. */
export type Database = PgDatabase<PgQueryResultHKT>;

/** What a start waits for, as a sentence for operators. */
export interface Wait {
  readonly reason: string;
  /**
   * A key that stays the same while the start waits for the same thing. The reason may change,
   * because it may contain the time.
   */
  readonly id: string;
}

/** Where a database is, as far as it is known. */
export interface DatabaseAddress {
  /** The name or address of the host, or the path of the Unix socket. */
  readonly host?: string;
  /** Absent for a Unix socket. */
  readonly port?: number;
  /** The name of the database. */
  readonly name?: string;
}

/** An open database. The code that opens it also closes it. */
export interface OpenDatabase {
  readonly db: Database;
  /**
   * The same database, for short and frequent reads. Statements that may wait for a disk or a lock
   * would delay the reads behind them.
   */
  readonly reads: Database;
  /**
   * The same database, for requests of operators. On Postgres, these statements have connections of
   * their own and a shorter timeout, so that no search, list or report delays a caller.
   */
  readonly operators: Database;
  /** The same database, for background work: flushes of usage, records of bans, and deletions. */
  readonly background: Database;
  /**
   * Migrates the database. Waits while the database cannot be reached, and for locks.
   *
   * @param onWaiting called repeatedly, with what the migration waits for, or `undefined` if it
   *   does not wait.
   * @throws {StartupError} if waiting does not help.
   */
  prepare(onWaiting: (wait: Wait | undefined) => void): Promise<void>;
  /**
   * Listens to a channel (Postgres NOTIFY), and listens again after each lost connection.
   *
   * On Postgres, it also sends heartbeats on the channel. Without them, a quiet channel looks like
   * a connection that the network has silently dropped.
   */
  listen(channel: string, listener: ChannelListener): Promise<Listening>;
  /** Says where the statements go now. Of several hosts it is the one that was found last. */
  address(): DatabaseAddress;
  close(): Promise<void>;
}

/** Receives the messages of a channel. */
export interface ChannelListener {
  /** Returns the message of a heartbeat. This replica receives its own heartbeats as well. */
  readonly heartbeat: () => string;
  /** The message that is sent when this listener stops. */
  readonly goodbye: string;
  onMessage(payload: string): void;
  /** Called when messages begin to arrive. Earlier messages may have been missed. */
  onListening(): void;
}

/** Listens until it is closed. */
export interface Listening {
  /** Sends a heartbeat now, besides the regular ones. */
  beat(): void;
  close(): Promise<void>;
}
