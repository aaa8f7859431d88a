import { fileURLToPath } from 'node:url';
import type { MigrationOptions } from '@animal-store/postgres';
import { searchedTables } from './search-text.ts';

/**
 * The folder of the SQL migrations that drizzle-kit wrote. The journal in this folder defines their
 * order.
 */
export const migrationsFolder: string = fileURLToPath(new URL('./migrations', import.meta.url));

/** The options for migrating a database of the service. */
export const migrationOptions: MigrationOptions = { migrationsFolder, searchedTables };
