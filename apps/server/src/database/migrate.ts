import { fileURLToPath } from 'node:url';

/** The SQL files that drizzle-kit wrote, in the order of their journal. */
export const migrationsFolder: string = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * The advisory lock that a replica holds while it migrates. Several may start at once: one migrates,
 * the others wait and find nothing left to do.
 */
export const migrationLock = 7_301_874_402_561;
