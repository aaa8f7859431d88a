import { postgresAt, until } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { defaultDatabaseLimits } from '../../src/database/database-settings.ts';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { createToken } from '../../src/keys/token.ts';
import { connectTo } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { call } from '../support/test-service.ts';

/** The number of the migration that created the first index online. */
const indexMigration = 8;

test('two servers that start at once on an empty database migrate it once, seed nothing and all serve', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  const open = () => openLocalServer({ DATABASE_URL: database.url });
  const servers = await Promise.all([open(), open()]);
  await using started = new AsyncDisposableStack();
  for (const server of servers) {
    started.use(server);
    expect(server.output()).not.toMatch(/\bast_/);
    expect(server.output()).not.toContain(database.url);
    // Well-formed and nobody's, which only the database can tell.
    expect((await call(`${server.baseUrl}/pets`, { token: createToken() })).status).toBe(401);
  }
  await using sql = connectTo(database.url);
  const repeated = sql`
    select from drizzle.__drizzle_migrations group by hash having count(*) > 1
    union all select from pets union all select from api_keys`;
  expect(await repeated).toHaveLength(0);
});

// A role behind PgBouncer has a limit of 5 s, and an index that took longer was begun again for ever.
test('an index is created while animals are, without the time limit for statements of its role', async () => {
  await using database = await createOldDatabase(indexMigration);
  await using sql = connectTo(database.url);
  await using other = connectTo(database.url);
  const create = (client: Pick<typeof sql, 'unsafe'>) =>
    client.unsafe(`insert into pets (name, category_id) values ('Rex', 1)`);
  await sql`alter database ${sql(new URL(database.url).pathname.slice(1))} set statement_timeout = '1s'`;
  const waitsLonger = async () => {
    const rows = await other`
      select 1 from pg_stat_activity where datname = current_database()
        and query like 'CREATE INDEX CONCURRENTLY%' and wait_event_type = 'Lock'
        and query_start < clock_timestamp() - interval '1200 ms'`;
    return rows.length > 0;
  };
  let migrating: Promise<unknown> | undefined;
  await sql.begin(async (transaction) => {
    await create(transaction);
    // The index waits for this transaction. What was created with a lock would hold up all others.
    migrating = migratePostgres(database.url);
    await Promise.race([migrating, until(waitsLonger)]);
    await other`set lock_timeout = '60s'`;
    await create(other);
  });
  await migrating;
});

test('an index is created again if an earlier attempt was interrupted, and an old database gets the indexes of a new one', async () => {
  await using database = await createOldDatabase(indexMigration);
  await using fresh = await postgresAt(inject('postgres')).createDatabase();
  await using sql = connectTo(database.url);
  await using other = connectTo(fresh.url);
  await sql`create index pets_category_status_id on pets (id)`;
  const index = sql`indexrelid = 'pets_category_status_id'::regclass`;
  await sql`update pg_index set indisvalid = false where ${index}`;
  await Promise.all([migratePostgres(database.url), migratePostgres(fresh.url)]);
  expect(await sql`select indisvalid from pg_index where ${index}`).toEqual([{ indisvalid: true }]);
  const indexesOf = async (on: typeof sql) => [
    ...(await on`select indexdef from pg_indexes where schemaname = 'public' order by 1`),
  ];
  expect(await indexesOf(sql)).toEqual(await indexesOf(other));
});

// An open transaction that had read the keys stopped the service: ALTER TABLE waited for its lock, and all
// look-ups of keys behind that.
test('a migration that waits for a lock lets others pass, and says for whom it waits', async () => {
  await using database = await createOldDatabase(indexMigration - 1);
  await using sql = connectTo(database.url);
  await using other = connectTo(database.url);
  await other`set lock_timeout = '60s'`;
  await other`insert into api_keys (plan) values ('free')`;
  const waits = new Set<string | undefined>();
  let migrating: Promise<unknown> | undefined;
  await sql.begin(async (transaction) => {
    await transaction`set application_name = 'idle psql'`;
    const [{ pid } = {}] = await transaction`select pg_backend_pid() as pid from api_keys`;
    migrating = migratePostgres(database.url, {
      limits: { ...defaultDatabaseLimits, migrationPauseMs: 10 },
      onWaiting: (wait) => waits.add(wait?.reason.replace(/\d+ s ago/, 'N s ago')),
    });
    const blocked = `The migration waits for a lock of api_keys, because of process ${pid} (idle psql, idle in transaction), whose transaction began N s ago.`;
    await until(() => waits.has(blocked));
    for (let times = 0; times < 3; times += 1) await other`select from api_keys`;
  });
  await migrating;
});
