import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres, type Postgres } from './postgres.ts';
import { postgresAt } from './postgres-databases.ts';
import { until } from './until.ts';

let server: Postgres;

beforeAll(async () => {
  server = await openPostgres();
  await server.createTemplate('migrated', async (url) => {
    await using db = open(url);
    await db.sql`create table animal (name text)`;
    await db.sql`insert into animal values ('Rex')`;
  });
});
afterAll(() => server.close());

function open(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end() };
}

async function names(url: string) {
  await using db = open(url);
  return (await db.sql`select name from animal order by name`).map((row) => row['name']);
}

async function add(url: string, name: string) {
  await using db = open(url);
  await db.sql`insert into animal values (${name})`;
}

test('a clone has the data of its template and does not share changes', async () => {
  await using one = await server.createDatabase({ template: 'migrated' });
  await using other = await server.createDatabase({ template: 'migrated' });

  await add(one.url, 'Bello');

  expect(await names(one.url)).toEqual(['Bello', 'Rex']);
  expect(await names(other.url)).toEqual(['Rex']);
});

test('many databases are cloned from one template at once', async () => {
  const clones = await Promise.all(
    Array.from({ length: 8 }, () => server.createDatabase({ template: 'migrated' })),
  );
  expect(new Set(clones.map((it) => it.url)).size).toBe(8);
  const contents = await Promise.all(clones.map((it) => names(it.url)));
  expect(contents).toEqual(clones.map(() => ['Rex']));
  await Promise.all(clones.map((it) => it.drop()));
});

test('without a template a database is empty', async () => {
  await using database = await server.createDatabase();
  await using db = open(database.url);
  expect(await db.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
});

test('a database is dropped even with open connections', async () => {
  const database = await server.createDatabase();
  await using connected = open(database.url);
  await connected.sql`select 1`;

  await database.drop();

  await using admin = open(server.adminUrl);
  expect(await admin.sql`select from pg_database where datname = ${database.name}`).toHaveLength(0);
});

test('another process can create databases with the connection info, which is JSON', async () => {
  const elsewhere = postgresAt(JSON.parse(JSON.stringify(server.connectionInfo)));
  await using database = await elsewhere.createDatabase({ template: 'migrated' });
  expect(await names(database.url)).toEqual(['Rex']);
});

test('a template whose migration fails is not left behind', async () => {
  const failing = () => Promise.reject(new Error('syntax error in 0001.sql'));
  await expect(server.createTemplate('broken', failing)).rejects.toThrow('0001.sql');
  await server.createTemplate('broken', async () => {});
});

test('a migration that leaves a connection open fails and says so', async () => {
  let left: ReturnType<typeof open> | undefined;
  const migrate = async (url: string) => {
    left = open(url);
    await left.sql`select 1`;
  };
  const leaking = server.createTemplate('leaking', migrate, { timeoutMs: 500 });
  await expect(leaking).rejects.toThrow('migrate left a connection to leaking open');
  await left?.sql.end();
});

test('a connection needs the password', async () => {
  const url = new URL(server.adminUrl);
  url.password = 'guessed';
  await using db = open(url.href);
  await expect(db.sql`select 1`).rejects.toMatchObject({ code: '28P01' });
});

// Each test goes on with what the one before has left: a Postgres takes long to open.
describe('a Postgres of its own', () => {
  let own: Postgres;
  beforeAll(async () => {
    own = await openPostgres();
    return () => own.close();
  });

  test('a statement hangs while the server is paused and goes through afterwards', async () => {
    await using db = open(own.adminUrl);
    await db.sql`select 1`;
    const events: string[] = [];

    own.pause();
    const statement = db.sql`select 1`.then(() => events.push('answered'));
    // Time enough to answer, measured by what is not paused and takes longer.
    await using elsewhere = await server.createDatabase({ template: 'migrated' });
    await names(elsewhere.url);
    events.push('resumed');
    own.resume();
    await statement;

    expect(events).toEqual(['resumed', 'answered']);
  });

  test('committed data survive a crash and a stop, at the same address', async () => {
    await using database = await own.createDatabase();
    {
      await using db = open(database.url);
      await db.sql`create table animal as select 'Rex' as name`;
    }

    for (const end of ['kill', 'stop'] as const) {
      await own[end]();
      await using refused = open(database.url);
      await expect(refused.sql`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await own.start();

      expect(await names(database.url)).toEqual(['Rex']);
    }
  });

  test('a paused server can be closed, and closed twice', async () => {
    own.pause();
    await own.close();
    await own.close();
    await using db = open(own.adminUrl);
    await expect(db.sql`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

test('a standby has the data of its primary, refuses writes, and accepts them once promoted', async () => {
  await using primary = await openPostgres();
  const database = await primary.createDatabase();
  {
    await using db = open(database.url);
    await db.sql`create table animal (name text)`;
  }
  const standby = await primary.createStandby();
  await add(database.url, 'Rex');
  const { pathname } = new URL(database.url);
  const url = new URL(pathname, standby.adminUrl).href;
  await until(async () => (await names(url)).includes('Rex'));
  await expect(add(url, 'Bello')).rejects.toMatchObject({ code: '25006' });

  await primary.kill();
  await using admin = open(standby.adminUrl);
  await admin.sql`select pg_promote()`;
  await add(url, 'Bello');
  expect(await names(url)).toEqual(['Bello', 'Rex']);
});
