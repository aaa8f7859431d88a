import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema.ts';

/** The database as repositories see it: the same for Postgres and for PGlite. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

/** An open database. Whoever opened it closes it. */
export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}
