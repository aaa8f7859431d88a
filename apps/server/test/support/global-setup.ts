import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres } from '@animal-store/testkit';
import type { TestProject } from 'vitest/node';
import { migrationOptions } from '../../src/schema/migration-options.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Postgres server of this test run, which has a migrated template database. */
    postgres: { readonly adminUrl: string };
    campaign: { readonly seed: number; readonly minutes: number };
  }
}

/** The name of the migrated template database, which test files clone. */
export const postgresTemplate = 'animal_store';

/** Opens a Postgres server for the test run, and migrates a template database. */
export async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Another vitest project of this test run has already opened Postgres.
  if (vitest.getRootProject().getProvidedContext().postgres !== undefined) return undefined;
  const postgres = await openPostgres();
  await postgres.createTemplate(postgresTemplate, (url) => migratePostgres(url, migrationOptions));
  vitest.getRootProject().provide('postgres', { adminUrl: postgres.adminUrl });
  // biome-ignore lint/style/noProcessEnv: run-campaign.ts has no other way to tell vitest
  const { CAMPAIGN_SEED, CAMPAIGN_MINUTES } = process.env;
  const campaign = { seed: Number(CAMPAIGN_SEED ?? 1), minutes: Number(CAMPAIGN_MINUTES ?? 1) };
  vitest.getRootProject().provide('campaign', campaign);
  return async () => await postgres[Symbol.asyncDispose]();
}
