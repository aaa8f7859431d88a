import { randomUUID } from 'node:crypto';
import { checkOwnSessions, poolerFault, sessionSettings } from '@animal-store/postgres/internal';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres } from '@animal-store/postgres/open-postgres';
import { StartupError } from '@animal-store/runtime';
import { postgresAt } from '@animal-store/testkit';
import { expect, inject, test, vi } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { connectTo, patientDatabase } from '../support/databases.ts';

const { adminUrl } = inject('postgres');
const createDatabase = () => postgresAt({ adminUrl }).createDatabase();

test('each session has the settings of the service, whatever the database sets', async () => {
  await using database = await createDatabase();
  await using admin = connectTo(adminUrl);
  for (const setting of [
    "DateStyle = 'German, DMY'",
    "TimeZone = 'Asia/Tokyo'",
    "bytea_output = 'escape'",
    'search_path = app, public',
    "default_transaction_isolation = 'repeatable read'",
    'client_encoding = LATIN1',
  ]) {
    await admin.unsafe(`alter database "${database.name}" set ${setting}`);
  }
  // The first schema of the path would have got the tables.
  await using sql = connectTo(database.url);
  await sql`create schema app`;
  await migratePostgres(database.url, migrationOptions);
  expect(await sql`select schemaname from pg_tables where tablename = 'pets'`).toEqual([
    { schemaname: 'public' },
  ]);
  const opened = openPostgres(database.url, { ...patientDatabase, ...migrationOptions });
  try {
    for (const db of [opened.db, opened.reads]) {
      const names = Object.keys(sessionSettings);
      const rows = await db.execute<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in ('${names.join("','")}')`,
      );
      const found = [...(rows as unknown as Iterable<{ name: string; setting: string }>)];
      expect(Object.fromEntries(found.map(({ name, setting }) => [name, setting]))).toEqual(
        sessionSettings,
      );
    }
  } finally {
    await opened.close();
  }
});

// The default search_path begins with the schema of the role's own name, and a migration makes one called usage.
test('the role usage, which has the name of a schema, migrates its database', async () => {
  await using role = await createRole('usage');
  await using database = await createDatabase();
  await using admin = connectTo(adminUrl);
  await admin.unsafe(`alter database "${database.name}" owner to usage`);
  await migratePostgres(role.urlOf(database.url), migrationOptions);
  await using sql = connectTo(database.url);
  const tables =
    await sql`select schemaname from pg_tables where tablename in ('pets', 'api_keys')`;
  expect(tables).toEqual([{ schemaname: 'public' }, { schemaname: 'public' }]);
});

test('a database that is not encoded in UTF8 ends the start with a sentence that says how to make one', async () => {
  const name = `latin_${randomUUID().replaceAll('-', '')}`;
  await using admin = connectTo(adminUrl);
  await admin.unsafe(`create database "${name}" encoding 'LATIN1' locale 'C' template template0`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const error = await migratePostgres(url.href, migrationOptions).catch(
    (reason: unknown) => reason,
  );
  await admin.unsafe(`drop database "${name}"`);
  expect(error).toBeInstanceOf(StartupError);
  expect(error).toMatchObject({
    message: expect.stringMatching(
      /^DATABASE_URL: the database is encoded in LATIN1, .* encoding 'UTF8' template template0$/,
    ),
  });
});

// As PgBouncer in transaction mode, which gives both connections the session that is free.
test('two connections that share a session are refused as a pooler in transaction mode', async () => {
  await using one = connectTo(adminUrl);
  await using other = connectTo(adminUrl);
  await checkOwnSessions(one, other);
  await expect(checkOwnSessions(one, one)).rejects.toThrow(
    /^DATABASE_URL: a pooler changes sessions between statements: .* session mode/,
  );
});

test.each([
  [{ code: '26000', message: 'prepared statement "x" does not exist' }, /session mode/],
  [{ code: '42P05', message: 'prepared statement "x" already exists' }, /session mode/],
  [
    { code: '08P01', message: 'unsupported startup parameter: search_path' },
    /ignore_startup_parameters = statement_timeout, bytea_output, search_path, /,
  ],
])('the error %j is explained as one of a pooler', (error, sentence) => {
  expect(poolerFault(error)).toMatch(sentence);
});

test('the driver reads no PG* variable', async () => {
  await using database = await createDatabase();
  for (const [name, value] of Object.entries({
    ...{ PGHOST: 'nowhere.invalid', PGPORT: '1', PGUSER: 'nobody', PGDATABASE: 'nothing' },
    ...{
      PGSSL: 'require',
      PGPASSWORD: 'wrong',
      PGAPPNAME: 'other',
      PGMAX: '0',
      PGFETCH_TYPES: '1',
    },
    ...{ PGSSLNEGOTIATION: 'direct', PGPREPARE: '', PGMAX_LIFETIME: '1', PGIDLE_TIMEOUT: '1' },
  })) {
    vi.stubEnv(name, value);
  }
  await migratePostgres(database.url, migrationOptions);
  vi.unstubAllEnvs();
});

/** Creates a role that may log in, until its disposal. */
async function createRole(name: string) {
  await using admin = connectTo(adminUrl);
  await admin.unsafe(`create role "${name}" login password 'secret'`);
  return {
    urlOf(databaseUrl: string) {
      const url = new URL(databaseUrl);
      url.username = name;
      url.password = 'secret';
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      await using sql = connectTo(adminUrl);
      await sql.unsafe(`reassign owned by "${name}" to current_user`);
      await sql.unsafe(`drop role "${name}"`);
    },
  };
}
