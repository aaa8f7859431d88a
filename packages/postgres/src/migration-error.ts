import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '@animal-store/runtime';
import { DrizzleQueryError } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';

/** The error of a migration that failed. The cause is the error of Postgres or of the driver. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  /** @param migration the name of the migration, such as `0008_list_pets_of_categories`. */
  constructor(migration: string, options: { cause: unknown }) {
    super(`the migration ${migration} failed`, options);
  }
}

/**
 * Returns the name of a migration, which is the name of its file without `.sql`.
 *
 * @param folderMillis the time of the migration. drizzle identifies migrations by this time.
 */
export function migrationName(migrationsFolder: string, folderMillis: number): string {
  const journal: { entries: { when: number; tag: string }[] } = JSON.parse(
    readFileSync(join(migrationsFolder, 'meta', '_journal.json'), 'utf8'),
  );
  return journal.entries.find(({ when }) => when === folderMillis)?.tag ?? String(folderMillis);
}

/**
 * Returns why drizzle's migrator failed. The message of drizzle would contain the SQL of the whole
 * migration instead of its name.
 */
export function describeFailedMigration(error: unknown, migrationsFolder: string): string {
  if (!(error instanceof DrizzleQueryError)) return errorText(error);
  const { query, cause } = error;
  const reason = describeCause(cause);
  const migration = readMigrationFiles({ migrationsFolder }).find(({ sql }) => sql.includes(query));
  if (migration === undefined) return reason;
  const { message } = new MigrationError(migrationName(migrationsFolder, migration.folderMillis), {
    cause,
  });
  return `${message}: ${reason}`;
}

/** Returns the message and the SQLSTATE of an error of Postgres. */
export function describeCause(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  const text = errorText(cause);
  return /^[0-9A-Z]{5}$/.test(String(code)) ? `${text} (SQLSTATE ${code})` : text;
}
