import { fileURLToPath } from 'node:url';
import { postgresAt, spawnServer } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { connectTo } from '../support/databases.ts';
import { execute } from '../support/run-command.ts';

const program = fileURLToPath(new URL('../../src/migrate.ts', import.meta.url));

// These tests run the program. `migrate-on-start.test.ts` tests how migrations change the database.
test('src/migrate.ts migrates the database and exits', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  expect(await execute(process.execPath, [program], { DATABASE_URL: database.url })).toEqual({
    code: 0,
    stdout: 'The database has all migrations.\n',
    stderr: '',
  });
  await using sql = connectTo(database.url);
  expect(await sql`select from pets`).toHaveLength(0);
});

test('src/migrate.ts fails with a one-line message when DATABASE_URL is not set', async () => {
  expect(await execute(process.execPath, [program])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^DATABASE_URL: [^\n]+\n$/),
  });
});

// Regression: as process 1 of a container, the program ignored SIGTERM. Compose and Kubernetes
// killed it only after their grace period.
test('src/migrate.ts handles SIGTERM while it waits for another migration, and fails', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  await using sql = connectTo(database.url);
  await sql`select pg_advisory_lock(7301874402561)`;
  await using migrating = await spawnServer({
    command: [process.execPath, program],
    env: { DATABASE_URL: database.url },
  });
  await migrating.untilOutput(/Another replica is migrating the database/);
  migrating.signal('SIGTERM');
  expect(await migrating.exited).toEqual({ code: 1, signal: null });
});
