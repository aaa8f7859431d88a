import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresAt, temporaryDirectory } from '@animal-store/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import { inject } from 'vitest';
import { migrationsFolder } from '../../src/schema/migration-options.ts';
import { connectTo } from './databases.ts';

/**
 * Creates a Postgres database in the state of an earlier version.
 *
 * @param count the number of migrations that the database has. It equals the number of the first
 * missing migration.
 */
export async function createOldDatabase(count: number) {
  await using folder = await temporaryDirectory();
  await cp(migrationsFolder, folder.path, { recursive: true });
  const journalPath = join(folder.path, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(journalPath, 'utf8'));
  journal.entries.length = count;
  await writeFile(journalPath, JSON.stringify(journal));
  const database = await postgresAt(inject('postgres')).createDatabase();
  await using client = connectTo(database.url);
  await migrate(drizzle({ client }), { migrationsFolder: folder.path });
  return database;
}
