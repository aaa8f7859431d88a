import { fileURLToPath } from 'node:url';
import type { MigrationOptions } from '@animal-store/postgres';
import { searchedTables } from './search-text.ts';

/** The folder of the SQL files that drizzle-kit wrote. Their journal has the order. */
export const migrationsFolder: string = fileURLToPath(new URL('./migrations', import.meta.url));

/** The options for migrating a database of the service. */
export const migrationOptions: MigrationOptions = { migrationsFolder, searchedTables };
