import { openTcpProxy, until } from '@animal-store/testkit';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createUsageRepository } from '../../src/usage/usage-repository.ts';
import { createDatabase } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { call, wideQuota } from '../support/test-service.ts';

test('a flush whose commit nobody answered is written again, and counted once', async () => {
  await using stack = new AsyncDisposableStack();
  const testDatabase = stack.use(await createDatabase('postgres'));
  const url = testDatabase.env['DATABASE_URL'] ?? '';
  const { hostname: host, port } = new URL(url);
  const proxy = stack.use(await openTcpProxy({ target: { host, port: Number(port) } }));
  const { db, close } = await testDatabase.open();
  stack.defer(close);
  const sql = postgres(url, { max: 2, onnotice() {} });
  stack.defer(() => sql.end());
  const key = { name: 'acme', plan: 'enterprise', quota: wideQuota } as const;
  const { id, token } = await createApiKey(db, key);

  // Rolls up so late that only this test does.
  const server = stack.use(
    await openLocalServer({
      DATABASE_URL: proxy.via(url),
      USAGE_FLUSH_MS: '20',
      USAGE_ROLL_UP_MS: '600000',
    }),
  );
  const repository = createUsageRepository(db);
  /** The key's requests of the day, after everything that is written was rolled up. */
  async function rolledUp(): Promise<number> {
    while (await repository.rollUp());
    const [row] = await sql`select sum(requests)::int from usage.days where key_id = ${id}`;
    return row?.['sum'] ?? 0;
  }
  let asked = 0;
  async function ask(): Promise<number> {
    asked += 1;
    return (await call(`${server.baseUrl}/pets`, { token })).status;
  }

  // The first flush creates the partition, and its request brings the key into the cache.
  expect(await ask()).toBe(200);
  await until(async () => (await rolledUp()) === 1);

  // A flush waits in the middle of its execution, until this transaction ends. A lock on the table
  // would be too early: the driver has not sent all of the statement then.
  await sql.unsafe(`
    create function pause() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(42); return new; end';
    create trigger pause before insert on usage.flushes for each row execute function pause()`);
  const locked = Promise.withResolvers<void>();
  const unlock = Promise.withResolvers<void>();
  const locking = sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(42)`;
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  for (let n = 0; n < 3; n += 1) expect(await ask()).toBe(200);
  await until(async () => {
    // Of this database: those of other tests have locks in the same Postgres.
    const waiting = await sql`select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and objid = 42 and not granted`;
    return waiting.length === 1;
  });

  // Postgres has the statement, and commits it for a connection that is gone.
  await proxy.cut();
  unlock.resolve();
  await locking;
  await until(async () => (await sql`select from usage.flushes`).length === 2);
  const committed = await rolledUp();
  expect(committed).toBeGreaterThan(1);
  expect(committed).toBeLessThanOrEqual(asked);

  await proxy.resume();
  await until(async () => (await ask()) === 200);
  // It writes what it could not, and then what it has counted since.
  await server.stop();
  expect(await rolledUp()).toBe(asked);
});
