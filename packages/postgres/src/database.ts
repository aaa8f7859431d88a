import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** The type of the database in repositories. It is the same for Postgres and for PGlite. */
export type Database = PgDatabase<PgQueryResultHKT>;

/** Something that the start of the service waits for, with a sentence for operators. */
export interface Wait {
  readonly reason: string;
  /**
   * An id for what the start waits for. The id stays the same until the start waits for something
   * else. The `reason` may change earlier, because it may contain a duration.
   */
  readonly id: string;
}

/** The address of a database, as far as it is known. */
export interface DatabaseAddress {
  /** The name or the IP address of the host, or the path of the Unix socket. */
  readonly host?: string;
  /** The port, or `undefined` for a Unix socket. */
  readonly port?: number;
  /** The name of the database. */
  readonly name?: string;
}

/** An open database. The code that opens it must also close it. */
export interface OpenDatabase {
  readonly db: Database;
  /**
   * The same database, with a separate connection for short and frequent reads. On a shared
   * connection, a statement that waits for a disk or a lock would delay all reads that are sent
   * after it.
   */
  readonly reads: Database;
  /**
   * The same database, for requests of operators. In Postgres, their statements have separate
   * connections and a shorter timeout. So a search or a report does not delay callers.
   */
  readonly operators: Database;
  /**
   * The same database, with a separate connection for background work, such as usage counts,
   * records of bans, and deletions.
   */
  readonly background: Database;
  /**
   * Migrates the database. Waits while the database cannot be reached, and while other sessions
   * hold locks.
   *
   * @param onWaiting called repeatedly, with the thing that the migration waits for, or `undefined`
   *   if it does not wait.
   * @throws {StartupError} if the database cannot be migrated for a reason that waiting does not
   *   resolve.
   */
  prepare(onWaiting: (wait: Wait | undefined) => void): Promise<void>;
  /**
   * Listens to a channel (NOTIFY in Postgres), and listens again after each lost connection.
   *
   * In Postgres, the function also sends heartbeats on the channel. Without heartbeats, nobody
   * would notice that the network has silently dropped the connection of a quiet channel.
   */
  listen(channel: string, listener: ChannelListener): Promise<Listening>;
  /**
   * Returns the address to which statements are sent now. If the URL has several hosts, the address
   * is the host that the last search has found.
   */
  address(): DatabaseAddress;
  close(): Promise<void>;
}

/** The functions that handle the messages of a channel. */
export interface ChannelListener {
  /** Returns the payload of the next heartbeat. This replica also receives its own heartbeats. */
  readonly heartbeat: () => string;
  /** The payload of the message that is sent when this replica stops listening. */
  readonly stopMessage: string;
  onMessage(payload: string): void;
  /** Called when the channel begins to deliver messages. Earlier messages may have been missed. */
  onListening(): void;
}

/** A subscription to a channel, which lasts until it is closed. */
export interface Listening {
  /** Sends a heartbeat now, in addition to the regular ones. */
  beat(): void;
  close(): Promise<void>;
}
