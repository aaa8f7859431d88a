import { fileURLToPath } from 'node:url';
import type { MigrationOptions } from '@animal-store/postgres';
import { searchedTables } from './search-text.ts';

/** The SQL files that drizzle-kit wrote, in the order of their journal. */
export const migrationsFolder: string = fileURLToPath(new URL('./migrations', import.meta.url));

/** What a database of the service is migrated to. */
export const migrationOptions: MigrationOptions = { migrationsFolder, searchedTables };
