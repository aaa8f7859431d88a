import { fileURLToPath } from 'node:url';
import type { MigrationOptions } from '@animal-store/postgres';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from './schema.ts';
import { searchedTables } from './search-text.ts';

/**
 * The folder of the SQL migrations that drizzle-kit wrote. The journal in this folder defines their
 * order.
 */
export const migrationsFolder: string = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * The tables and views that the service reads and writes. `schema.ts` does not describe the tables
 * with the usage counts.
 */
export const usedTables: readonly string[] = [
  ...Object.values(schema)
    .filter((value) => value instanceof PgTable)
    .map((table) => `public.${getTableConfig(table).name}`),
  ...['all_counts', 'counts', 'written', 'last_used', 'minutes', 'hours', 'days', 'flushes'].map(
    (name) => `usage.${name}`,
  ),
];

/** The options for migrating a database of the service. */
export const migrationOptions: MigrationOptions = {
  migrationsFolder,
  searchedTables,
  usedTables,
};
