import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema.ts';

/** The database as repositories see it: the same for Postgres and for PGlite. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

/** An open database. Whoever opened it closes it. */
export interface OpenDatabase {
  readonly db: Database;
  /**
   * Listens to a channel (Postgres NOTIFY), again after each loss of the connection.
   *
   * @returns stops listening.
   */
  listen(channel: string, listener: ChannelListener): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** What is told of a channel. */
interface ChannelListener {
  onMessage(payload: string): void;
  /** From now on messages arrive; what was said before may have been missed. */
  onListening(): void;
}
