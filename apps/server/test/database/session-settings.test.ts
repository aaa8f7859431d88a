import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { checkOwnSessions, poolerFault, sessionSettings } from '@animal-store/postgres/internal';
import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres } from '@animal-store/postgres/open-postgres';
import { StartupError } from '@animal-store/runtime';
import { openRawServer, postgresAt, until } from '@animal-store/testkit';
import { expect, inject, test, vi } from 'vitest';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import {
  connectTo,
  createDatabase as createMigrated,
  patientDatabase,
} from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { call, startService } from '../support/test-service.ts';

const { adminUrl } = inject('postgres');
const createDatabase = () => postgresAt({ adminUrl }).createDatabase();

const otherSettings = [
  "DateStyle = 'German, DMY'",
  "TimeZone = 'Asia/Tokyo'",
  "bytea_output = 'escape'",
  'search_path = app, public',
  "default_transaction_isolation = 'repeatable read'",
  'client_encoding = LATIN1',
  // The service does not set the following settings in its sessions. So its statements must work
  // with any value.
  'array_nulls = off',
  'extra_float_digits = -15',
  "IntervalStyle = 'iso_8601'",
  'quote_all_identifiers = on',
  'standard_conforming_strings = off',
  'transform_null_equals = on',
];

test('each database session has the settings that the service needs, whatever the defaults of the database are', async () => {
  await using database = await createDatabase();
  await using admin = connectTo(adminUrl);
  const stronger = { synchronous_commit: 'remote_apply' };
  for (const setting of [...otherSettings, 'synchronous_commit = remote_apply']) {
    await admin.unsafe(`alter database "${database.name}" set ${setting}`);
  }
  // The service sets the search_path itself. Otherwise, the migrations would create the tables in
  // the schema `app`.
  await using sql = connectTo(database.url);
  await sql`create schema app`;
  await migratePostgres(database.url, migrationOptions);
  expect(await sql`select schemaname from pg_tables where tablename = 'pets'`).toEqual([
    { schemaname: 'public' },
  ]);
  const opened = openPostgres(database.url, { ...patientDatabase, ...migrationOptions });
  try {
    for (const db of [opened.db, opened.reads]) {
      const names = Object.keys({ ...sessionSettings, ...stronger });
      const rows = await db.execute<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in ('${names.join("','")}')`,
      );
      const found = [...(rows as unknown as Iterable<{ name: string; setting: string }>)];
      expect(Object.fromEntries(found.map(({ name, setting }) => [name, setting]))).toEqual({
        ...sessionSettings,
        ...stronger,
      });
    }
  } finally {
    await opened.close();
  }
});

test('a replica keeps working after an administrator has changed the defaults of the database and ended the database sessions of the replica', async () => {
  await using service = await startService('postgres');
  await changeSettings(service.database.url, otherSettings);
  await until(async () => (await readiness(service.server)).status === 200);
  const created = await service.call('/pets', { json: '{"name":"Zoë","categoryId":1}' });
  expect(created.status).toBe(201);
  expect((await service.call('/pets')).body).toEqual([created.body]);
});

// The fake pooler removes the settings from the startup message, as PgBouncer does with
// `ignore_startup_parameters`. Sessions then have the defaults of the role or the database.
test('a replica is not ready when a connection pooler drops its session settings and the database has other defaults', async () => {
  await using database = await createMigrated('postgres');
  await using pooler = await openRawServer((client) => {
    const server = connect(addressOf(database.url)).on('error', () => client.destroy());
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    client.once('data', (startup: Buffer) => {
      server.write(withoutSettings(startup));
      client.pipe(server).pipe(client);
    });
  });
  const url = new URL(database.url);
  Object.assign(url, { hostname: '127.0.0.1', port: String(pooler.port) });
  url.searchParams.set('sslmode', 'disable');
  await changeSettings(database.url, ["TimeZone = 'UTC'"]);
  await using server = await openLocalServer({ DATABASE_URL: url.href });
  expect((await readiness(server)).body).toEqual({ status: 'ready', reasons: [] });
  await changeSettings(database.url, ["DateStyle = 'German, DMY'"]);
  const reason =
    "DATABASE_URL: DateStyle is 'German, DMY', although the service asked for 'ISO, MDY': a pooler ignores the setting. Set it for the role: alter role … set DateStyle = 'ISO, MDY'.";
  await until(async () =>
    JSON.stringify((await readiness(server)).body).includes(JSON.stringify(reason)),
  );
  await changeSettings(database.url, ["DateStyle = 'ISO, MDY'"]);
  await until(async () => (await readiness(server)).status === 200);
});

// By default, the search_path begins with the schema that has the same name as the role. One of the
// migrations creates a schema called `usage`. For a role with this name, the tables must still not
// be created in this schema.
test('migratePostgres works when the database role has the same name as a schema', async () => {
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

// Regression: a replica started although the database had one of these settings. Depending on the
// setting, the replica refused all changes, made changes without running triggers, acknowledged
// changes before they were on the disk, or left out rows of a search.
test.each([
  ['synchronous_commit', 'off', /would lose animals .* Remove the setting: /],
  ['session_replication_role', 'replica', /so no trigger would run\. Remove the setting: /],
  ['idle_in_transaction_session_timeout', '10ms', /too short\. Set it for the role: .* = 0/],
  ['idle_session_timeout', '3s', /is '3s', which is too short\. .* at least '10s'$/],
  ['lock_timeout', '1ms', /is '1ms', which is too short/],
  [
    'gin_fuzzy_search_limit',
    '1000',
    /would not find all rows when they search\. Set it for the role: .* = 0$/,
  ],
])(
  'migratePostgres refuses a database whose default for %s is %s, and explains the reason',
  async (...given) => {
    const [name, value, sentence] = given;
    await using database = await createDatabase();
    await changeSettings(database.url, [`${name} = '${value}'`]);
    const migrating = migratePostgres(database.url, migrationOptions);
    await expect(migrating).rejects.toThrow(StartupError);
    await expect(migrating).rejects.toThrow(sentence);
    await expect(migrating).rejects.toThrow(`DATABASE_URL: ${name} is '${value}', `);
  },
);

// Regression: the service never finished its start, because the statement_timeout of the role
// canceled each query that searched for Postgres.
test('migratePostgres works on a database whose default statement_timeout is too short', async () => {
  await using database = await createDatabase();
  const limits = [
    "statement_timeout = '1ms'",
    "lock_timeout = '1min'",
    "idle_session_timeout = '1d'",
  ];
  await changeSettings(database.url, limits);
  await migratePostgres(database.url, migrationOptions);
});

test('migratePostgres refuses a database whose encoding is not UTF8, and explains how to create a UTF8 database', async () => {
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
      /^DATABASE_URL: the database has the encoding LATIN1, .* encoding 'UTF8' template template0$/,
    ),
  });
});

// PgBouncer in transaction mode gives each transaction any session that is free, so two connections
// can get the same session. The test passes the same connection twice, which has the same effect.
test('checkOwnSessions refuses a pooler in transaction mode, in which two connections can share a session', async () => {
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
])(
  'poolerFault explains how to configure the pooler when a statement fails with the error %j',
  (error, sentence) => {
    expect(poolerFault(error)).toMatch(sentence);
  },
);

test('the Postgres driver ignores the environment variables PG*', async () => {
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

const readiness = ({ opsUrl }: { opsUrl: string }) => call(`${opsUrl}/readyz`);

/** Changes the default settings of a database for new sessions, and ends the existing sessions. */
async function changeSettings(databaseUrl: string, settings: readonly string[]) {
  const name = new URL(databaseUrl).pathname.slice(1);
  await using admin = connectTo(adminUrl);
  for (const setting of settings) await admin.unsafe(`alter database "${name}" set ${setting}`);
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
}

function addressOf(url: string) {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/**
 * Returns a Postgres startup message with only the user and the database. The message consists of
 * its length, the protocol version, and names and values that end with a zero byte.
 */
function withoutSettings(startup: Buffer): Buffer {
  const texts = startup.toString('latin1', 8).split('\0');
  const kept: string[] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    const [name = '', value = ''] = texts.slice(index, index + 2);
    if (name === 'user' || name === 'database') kept.push(name, value);
  }
  const body = Buffer.from(`${kept.join('\0')}\0\0`, 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length);
  startup.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}

/** Creates a role with permission to log in. Disposing the result drops the role. */
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
