import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { StartupError } from '../startup-error.ts';
import type { OpenDatabase } from './database.ts';
import { migrationLock, migrationsFolder } from './migrate.ts';
import * as schema from './schema.ts';

/** More connections are slower: statements are pipelined, and Postgres shares the cores. */
const maxConnections = 4;

/**
 * Connects to Postgres and migrates it.
 *
 * @param url `postgres://…`
 * @throws {StartupError} if it cannot be reached or migrated.
 */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  await migrateOnce(url);
  const client = postgres(url, {
    max: maxConnections,
    connect_timeout: 5,
    connection: { application_name: 'animal-store', statement_timeout: 5_000 },
    onnotice: () => {},
  });
  return {
    db: drizzle({ client, schema }),
    close: () => client.end({ timeout: 5 }),
  };
}

async function migrateOnce(url: string): Promise<void> {
  // A connection of its own: an advisory lock belongs to a session, and a pool has several.
  const client = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await client`select pg_advisory_lock(${migrationLock})`;
    await migrate(drizzle({ client }), { migrationsFolder });
  } catch (error) {
    throw new StartupError(`DATABASE_URL: cannot open the database: ${reasonOf(error)}`);
  } finally {
    // Ending the session releases the lock, whatever happened.
    await client.end({ timeout: 5 });
  }
}

/** What the server or the socket said, which holds no password; drizzle's own message holds SQL. */
function reasonOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  if (!(cause instanceof Error)) return 'unknown error';
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) cause = cause.errors[0];
  return (cause as Error).message;
}
