import { fillCompileCache, openPostgres, type PostgresConnectionInfo } from '@animal-store/testkit';
import type { TestProject } from 'vitest/node';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is the run of `npm run test:all`. */
    isHeavy: boolean;
    /** A Postgres of this run, with a migrated template. */
    postgres: PostgresConnectionInfo;
  }
}

/** The migrated database that test files clone. */
export const postgresTemplate = 'animal_store';

/** Migrates one database, once a run; test files clone it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await openPostgres());
  await postgres.createTemplate(postgresTemplate, (url) => migratePostgres(url));
  {
    await using database = await postgres.createDatabase({ template: postgresTemplate });
    await fillCompileCache(database.url);
  }
  project.provide('postgres', postgres.connectionInfo);
  project.provide('isHeavy', project.vitest.config.mode === 'heavy');

  const kept = opened.move();
  return () => kept.disposeAsync();
}
