import { fileURLToPath } from 'node:url';
import { postgresAt } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { pets } from '../../src/database/schema.ts';
import { execute } from '../support/run-command.ts';

const program = fileURLToPath(new URL('../../src/migrate.ts', import.meta.url));

// What it does to the database: migrate-on-start.test.ts.
test('src/migrate.ts migrates a database once, and ends', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  for (let times = 0; times < 2; times += 1) {
    expect(await execute(process.execPath, [program], { DATABASE_URL: database.url })).toEqual({
      code: 0,
      stdout: 'The database has all migrations.\n',
      stderr: '',
    });
  }
  const { db, close } = openPostgres(database.url);
  expect(await db.$count(pets)).toBe(0);
  await close();
});

test.each([
  ['without a DATABASE_URL', {}],
  ['if Postgres cannot be reached', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }],
])('src/migrate.ts says so in one line and fails %s', async (_, env) => {
  expect(await execute(process.execPath, [program], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^DATABASE_URL: [^\n]+\n$/),
  });
});
