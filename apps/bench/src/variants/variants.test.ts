import { openPostgres, type Postgres, startServer } from '@animal-store/testkit';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../../server/src/keys/token.ts';
import { commandOf, type Target, variants } from '../targets.ts';

const stack = new AsyncDisposableStack();
let postgres: Postgres;
beforeAll(async () => {
  postgres = stack.use(await openPostgres());
});
afterAll(() => stack.disposeAsync());

// One more than the pool: the one that listens. A hook that no longer finds its file would change nothing.
test.each([
  ['connections-1', { 'animal-store': 2 }],
  ['connections-2', { 'animal-store': 3 }],
  ['connections-4', { 'animal-store': 5 }],
  // Heartbeats have another one.
  ['pg-pipeline', { 'animal-store': 2, 'animal-store-pg': 4 }],
])('%s opens its connections', async (name, expected) => {
  const target = variants.find((one) => one.name === name) as Target;
  await using database = await postgres.createDatabase();
  await using server = await startServer({
    command: ['env', ...commandOf(target, [process.execPath])],
    env: { DATABASE_URL: database.url },
  });
  // Each unknown token is looked up by a statement of its own.
  const calls = Array.from({ length: 40 }, () =>
    fetch(`${server.baseUrl}/pets`, { headers: { Authorization: `Bearer ${createToken()}` } }),
  );
  for (const { status } of await Promise.all(calls)) expect(status).toBe(401);
  // Polled, because those of the migrations may still be ending.
  await expect.poll(() => countConnections(database.url)).toEqual(expected);
});

/** By name, without those that a transaction borrows and gives back. */
async function countConnections(url: string): Promise<Record<string, number>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; count: number }>(
      `select application_name as name, count(*)::int from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
       and application_name <> 'animal-store-transactions' group by 1`,
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  } finally {
    await client.end();
  }
}
