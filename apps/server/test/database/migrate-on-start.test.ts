import { defaultDatabaseLimits } from '@animal-store/postgres';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres } from '@animal-store/postgres/open-postgres';
import { postgresAt, until } from '@animal-store/testkit';
import { expect, inject, test } from 'vitest';
import { createToken } from '../../src/keys/token.ts';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { connectTo, createDatabase, patientDatabase } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { call } from '../support/test-service.ts';

/** The number of the first migration whose index is created online (without blocking writes). */
const indexMigration = 8;

/** The number of the first migration that fills a column in batches. */
const fillMigration = 19;

test('two replicas that start on an empty database at the same time run the migrations once, add no sample data, and both serve', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  const open = () => openLocalServer({ DATABASE_URL: database.url });
  const servers = await Promise.all([open(), open()]);
  await using started = new AsyncDisposableStack();
  for (const server of servers) {
    started.use(server);
    expect(server.output()).not.toMatch(/\bast_/);
    expect(server.output()).not.toContain(database.url);
    // The token has the right format but is unknown, so the server must look it up in the database.
    expect((await call(`${server.baseUrl}/pets`, { token: createToken() })).status).toBe(401);
  }
  await using sql = connectTo(database.url);
  const repeated = sql`
    select from drizzle.__drizzle_migrations group by hash having count(*) > 1
    union all select from pets union all select from api_keys`;
  expect(await repeated).toHaveLength(0);
});

// Regression: behind PgBouncer, the role had a statement timeout of 5 s. If an index needed more
// time, the service began to create it again and again.
test('a migration creates an index without blocking the creation of animals, and ignores the statement timeout of the role', async () => {
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
    // The migration waits for this transaction before it creates the index. If the migration locked
    // the table during this time, the insert below would also have to wait.
    migrating = migratePostgres(database.url, migrationOptions);
    await Promise.race([migrating, until(waitsLonger)]);
    await other`set lock_timeout = '60s'`;
    await create(other);
  });
  await migrating;
});

test('a migration replaces an index whose creation was interrupted, and an old database gets the same indexes as a new one', async () => {
  await using database = await createOldDatabase(indexMigration);
  await using fresh = await postgresAt(inject('postgres')).createDatabase();
  await using sql = connectTo(database.url);
  await using other = connectTo(fresh.url);
  await sql`create index pets_category_status_id on pets (id)`;
  const index = sql`indexrelid = 'pets_category_status_id'::regclass`;
  await sql`update pg_index set indisvalid = false where ${index}`;
  await Promise.all([
    migratePostgres(database.url, migrationOptions),
    migratePostgres(fresh.url, migrationOptions),
  ]);
  expect(await sql`select indisvalid from pg_index where ${index}`).toEqual([{ indisvalid: true }]);
  const indexesOf = async (on: typeof sql) => [
    ...(await on`select indexdef from pg_indexes where schemaname = 'public' order by 1`),
  ];
  expect(await indexesOf(sql)).toEqual(await indexesOf(other));
});

// The migration fills the new column in batches. A single UPDATE statement would lock all API keys
// for a minute.
test('a migration that waits for a locked row while it fills a new column does not block changes of other rows', async () => {
  await using database = await createOldDatabase(fillMigration);
  await using sql = connectTo(database.url);
  await using other = connectTo(database.url);
  await sql`alter table api_keys disable trigger api_keys_write_search`;
  await sql`insert into api_keys (name, plan) select 'Zürich ' || n, 'free' from generate_series(1, 2500) n`;
  await sql`alter table api_keys enable trigger api_keys_write_search`;
  let migrating: Promise<unknown> | undefined;
  await sql.begin(async (transaction) => {
    const [{ id } = {}] = await transaction`select id from api_keys limit 1 for update`;
    migrating = migratePostgres(database.url, {
      ...migrationOptions,
      limits: { ...defaultDatabaseLimits, migrationPauseMs: 10 },
    });
    const unfilled = () => other`select id from api_keys where search is null`;
    await until(async () => (await unfilled()).length === 1);
    expect(await unfilled()).toEqual([{ id }]);
    await other`set lock_timeout = '60s'`;
    await other`update api_keys set name = 'Changed' where id <> ${id}`;
  });
  await migrating;
  expect(
    await other`select distinct search from api_keys where search not like 'zurich %'`,
  ).toEqual([{ search: 'changed' }]);
});

test('the database allows a migration to fill the search text of old audit entries, but refuses every other change of these entries', async () => {
  await using database = await createOldDatabase(fillMigration);
  await using sql = connectTo(database.url);
  await sql`alter table audit_entries disable trigger audit_entries_write_search`;
  await sql`insert into audit_entries (at, actor_type, actor_name, action, subject_type, subject_id, before, after, reason)
    values (now(), 'system', 'Ada', 'key.created', 'key', gen_random_uuid(), '{}', '{}', 'Zürich')`;
  await sql`alter table audit_entries enable trigger audit_entries_write_search`;
  for (const change of [`reason = 'x'`, `reason = 'x', search = 'x'`, `search = null, at = now()`])
    await expect(sql.unsafe(`update audit_entries set ${change}`)).rejects.toMatchObject({
      code: '23001',
    });
  await sql`update audit_entries set search = 'forged'`;
  expect(await sql`select reason, search from audit_entries`).toEqual([
    { reason: 'Zürich', search: 'zurich\nada' },
  ]);
  await expect(sql`update audit_entries set search = null`).rejects.toMatchObject({
    code: '23001',
  });
  await migratePostgres(database.url, migrationOptions);
});

/** Creates an empty database whose owner is a new role that is not a superuser. */
async function createOwnedDatabase() {
  await using stack = new AsyncDisposableStack();
  const { adminUrl } = inject('postgres');
  const admin = stack.use(connectTo(adminUrl));
  const owner = `owner_${process.hrtime.bigint().toString(36)}`;
  await admin.unsafe(`create role ${owner} login password 'secret'`);
  stack.defer(() => admin.unsafe(`drop role ${owner}`).then(() => {}));
  const database = stack.use(await postgresAt({ adminUrl }).createDatabase());
  await admin.unsafe(`alter database "${database.name}" owner to ${owner}`);
  const url = new URL(database.url);
  Object.assign(url, { username: owner, password: 'secret' });
  const kept = stack.move();
  return {
    ...{ admin, database, owner },
    /** The URL of the database with the owner as the user. */
    url: url.href,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

test('a migration creates the search indexes as soon as the database role may create the extension pg_trgm', async () => {
  await using owned = await createOwnedDatabase();
  const { admin, database, owner, url } = owned;
  await migratePostgres(url, migrationOptions);
  await using sql = connectTo(database.url);
  const indexes = () => sql`
    select indexrelid::regclass::text as name from pg_index
    where indexrelid::regclass::text like '%_trigrams' and indisvalid order by 1`;
  const all = ['accounts', 'api_keys', 'audit_entries'].map((of) => ({ name: `${of}_trigrams` }));
  expect(await indexes()).toEqual(all);
  await sql`drop extension pg_trgm cascade`;
  await admin.unsafe(`revoke create on database "${database.name}" from ${owner}`);
  await migratePostgres(url, migrationOptions);
  expect(await indexes()).toEqual([]);
  await admin.unsafe(`grant create on database "${database.name}" to ${owner}`);
  await migratePostgres(url, migrationOptions);
  expect(await indexes()).toEqual(all);
});

// Regression: the service did not start if its role could not use the schema of the extension.
test('a migration creates the search indexes as soon as the database role may use the schema of pg_trgm', async () => {
  await using owned = await createOwnedDatabase();
  const { database, owner, url } = owned;
  await using sql = connectTo(database.url);
  await sql`create schema "Other schema"`;
  await sql`create extension pg_trgm schema "Other schema"`;
  const count = async () => {
    const [row] = await sql`select count(*)::int as indexes from pg_index
      where indexrelid::regclass::text like '%_trigrams' and indisvalid`;
    return row?.['indexes'];
  };
  await migratePostgres(url, migrationOptions);
  expect(await count()).toBe(0);
  await sql.unsafe(`grant usage on schema "Other schema" to ${owner}`);
  await migratePostgres(url, migrationOptions);
  expect(await count()).toBe(3);
  await sql`drop extension pg_trgm cascade`;
  await sql`drop schema "Other schema"`;
});

// Regression: only the migration program created these indexes. A service that migrated its database
// itself had none, and each search read whole tables.
test('a service creates the search indexes when it starts on a database without them', async () => {
  await using database = await createDatabase('postgres');
  await using sql = connectTo(database.url);
  const indexes = () => sql`
    select indexrelid::regclass::text as name from pg_index
    where indexrelid::regclass::text like '%_trigrams' and indisvalid order by 1`;
  const all = await indexes();
  expect(all).toHaveLength(migrationOptions.searchedTables?.length ?? 0);
  await sql`drop extension pg_trgm cascade`;
  expect(await indexes()).toEqual([]);
  await using stack = new AsyncDisposableStack();
  const opened = openPostgres(database.url, { ...patientDatabase, ...migrationOptions });
  stack.defer(opened.close);
  await opened.prepare(() => {});
  expect(await indexes()).toEqual(all);
});

// Regression: an open transaction that had read the table of API keys stopped the service. ALTER
// TABLE waited for the lock of the transaction, and all lookups of keys waited for ALTER TABLE.
test('a migration that waits for a lock does not block other statements, and logs which session holds the lock', async () => {
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
      ...migrationOptions,
      limits: { ...defaultDatabaseLimits, migrationPauseMs: 10 },
      onWaiting: (wait) => waits.add(wait?.reason.replace(/\d+ s ago/, 'N s ago')),
    });
    const blocked = `The migration waits for a lock of api_keys. The wait is caused by process ${pid} (idle psql, idle in transaction), whose transaction began N s ago.`;
    await until(() => waits.has(blocked));
    for (let times = 0; times < 3; times += 1) await other`select from api_keys`;
  });
  await migrating;
});
