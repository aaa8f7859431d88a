import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** The database as repositories see it: the same for Postgres and for PGlite. */
export type Database = PgDatabase<PgQueryResultHKT>;

/** What a start waits for, in words for operators. */
export interface Wait {
  readonly reason: string;
  /** The same as long as it waits for the same, while the reason may tell for how long. */
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

/** An open database. Whoever opened it closes it. */
export interface OpenDatabase {
  readonly db: Database;
  /**
   * The same, for short reads that come in great numbers. What may wait for a disk or a lock would hold up
   * those behind it.
   */
  readonly reads: Database;
  /**
   * The same, for what operators ask. On Postgres these statements have connections of their own and less time, so
   * that no search, list or report delays a caller.
   */
  readonly operators: Database;
  /** The same, for what no request waits for: flushes of usage, records of bans, and deletions. */
  readonly background: Database;
  /**
   * Migrates the database. Waits while it cannot be reached, and for locks.
   *
   * @param onWaiting called again and again: with what it waits for, or `undefined` if it does not.
   * @throws {StartupError} if waiting does not help.
   */
  prepare(onWaiting: (wait: Wait | undefined) => void): Promise<void>;
  /**
   * Listens to a channel (Postgres NOTIFY), and again after each loss of the connection.
   *
   * On Postgres, heartbeats are sent on the channel meanwhile. Without them, a quiet channel looks like
   * a connection that the network has silently dropped.
   */
  listen(channel: string, listener: ChannelListener): Promise<Listening>;
  /** Says where the statements go now. Of several hosts it is the one that was found last. */
  address(): DatabaseAddress;
  close(): Promise<void>;
}

/** Receives the messages of a channel. */
export interface ChannelListener {
  /** Writes the message of a heartbeat. It is received as well, like those of others. */
  readonly heartbeat: () => string;
  /** Sent when this listener stops. */
  readonly goodbye: string;
  onMessage(payload: string): void;
  /** Called when messages begin to arrive. Earlier ones may have been missed. */
  onListening(): void;
}

/** Listens until it is closed. */
export interface Listening {
  /** Sends a heartbeat now, besides the regular ones. */
  beat(): void;
  close(): Promise<void>;
}
