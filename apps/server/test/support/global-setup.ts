import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openPostgres,
  type PostgresConnectionInfo,
  temporaryDirectory,
} from '@animal-store/testkit';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../../src/database/open-embedded.ts';
import { openPostgres as openServerDatabase } from '../../src/database/open-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres of this run, with a migrated template. */
    postgres: PostgresConnectionInfo;
    /** A migrated, empty data directory to copy. */
    embeddedTemplate: string;
  }
}

/** The migrated database that test files clone. */
export const postgresTemplate = 'animal_store';

/** Migrates one database of each kind, once a run; test files clone them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory());
  const embeddedTemplate = join(directory.path, 'embedded');

  const [postgres] = await Promise.all([
    openPostgres().then((server) => opened.use(server)),
    createEmbeddedTemplate(embeddedTemplate),
  ]);
  // Not at the same time: the embedded database blocks this process for longer than the time-out of a
  // connection, if the machine is slow.
  await postgres.createTemplate(postgresTemplate, migratePostgres);
  project.provide('postgres', postgres.connectionInfo);
  project.provide('embeddedTemplate', embeddedTemplate);

  const kept = opened.move();
  return () => kept.disposeAsync();
}

async function createEmbeddedTemplate(directory: string): Promise<void> {
  const database = await openEmbedded(directory);
  await database.close();
  // `template1` and `template0`, which nobody opens. They are 600 of the 1,000 files of each copy.
  for (const unused of ['1', '4']) {
    await rm(join(directory, 'postgres', 'base', unused), { recursive: true });
  }
}

async function migratePostgres(url: string): Promise<void> {
  const database = await openServerDatabase(url);
  await database.close();
}
