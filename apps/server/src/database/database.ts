import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema.ts';

/** The database as repositories see it: the same for Postgres and for PGlite. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

/** An open database. Whoever opened it closes it. */
export interface OpenDatabase {
  readonly db: Database;
  /**
   * Listens to a channel (Postgres NOTIFY), and again after each loss of the connection.
   *
   * @returns stops listening.
   */
  listen(channel: string, listener: ChannelListener): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Receives the messages of a channel. */
interface ChannelListener {
  onMessage(payload: string): void;
  /** Called when messages begin to arrive. Earlier ones may have been missed. */
  onListening(): void;
}
