import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { postgresAt, temporaryDirectory, until } from '@animal-store/testkit';
import postgres from 'postgres';
import { describe, expect, inject, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { apiKeys, pets } from '../../src/database/schema.ts';
import { createToken } from '../../src/keys/token.ts';
import { defaultTimings } from '../../src/shared/timings.ts';
import { createDatabase, databaseKinds } from '../support/databases.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { call } from '../support/test-service.ts';

const run = promisify(execFile);
const app = fileURLToPath(new URL('../../', import.meta.url));
const migrations = 'src/database/migrations';

test('two servers that start at once on an empty database migrate it once, seed nothing and all serve', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  await using dataDir = await temporaryDirectory();
  await using started = new AsyncDisposableStack();
  const servers = await Promise.all(
    Array.from({ length: 2 }, () =>
      openLocalServer({ DATABASE_URL: database.url, DATA_DIR: dataDir.path }),
    ),
  );
  for (const server of servers) started.use(server);
  for (const server of servers) {
    expect(server.output()).not.toMatch(/\bast_/);
    expect(server.output()).not.toContain(database.url);
  }
  expect(await readdir(dataDir.path)).toEqual([]);
  const { db, close } = openPostgres(database.url);
  expect(await db.$count(pets)).toBe(0);
  expect(await db.$count(apiKeys)).toBe(0);
  await close();
  for (const server of servers) {
    // Well-formed and nobody's, which only the database can tell.
    expect((await call(`${server.baseUrl}/pets`, { token: createToken() })).status).toBe(401);
  }

  await using sql = connectTo(database.url);
  const [applied] = await sql.client`select count(*)::int from drizzle.__drizzle_migrations`;
  expect(applied?.['count']).toBe(await countOfMigrations());
  expect(await sql.shape()).toEqual(await shapeOfOneMigration());
});

describe('src/migrate.ts', () => {
  // As servers of the testkit: most of a run is the compilation of its modules.
  const NODE_COMPILE_CACHE = join(app, '../../node_modules/.cache/node');
  const runMigrate = (env: Readonly<Record<string, string>>) =>
    run(process.execPath, [join(app, 'src/migrate.ts')], { env: { NODE_COMPILE_CACHE, ...env } });

  test('migrates a database once, and ends', async () => {
    await using database = await postgresAt(inject('postgres')).createDatabase();
    for (let i = 0; i < 2; i += 1) {
      const { stdout, stderr } = await runMigrate({ DATABASE_URL: database.url });
      expect({ stdout, stderr }).toEqual({
        stdout: 'The database has all migrations.\n',
        stderr: '',
      });
    }
    await using sql = connectTo(database.url);
    expect(await sql.shape()).toEqual(await shapeOfOneMigration());
  });

  test.each([
    ['without a DATABASE_URL', {}],
    ['if Postgres cannot be reached', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }],
  ])('says so in one line and fails %s', async (_, env) => {
    await expect(runMigrate(env)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^DATABASE_URL: [^\n]+\n$/),
    });
  });
});

describe('an index of the animals is created online', () => {
  const isValid = async ({ client }: ReturnType<typeof connectTo>) => {
    const rows = await client`
      select indisvalid from pg_index where indexrelid = to_regclass('pets_category_status_id')`;
    return rows.map((row) => row['indisvalid']);
  };

  /** A database as the version before the index left it. */
  const databaseOfBefore = () => createOldDatabase(indexMigration);

  test('while animals are created', async () => {
    await using database = await databaseOfBefore();
    await using sql = connectTo(database.url);
    await using other = connectTo(database.url);
    const create = (client: Pick<postgres.Sql, 'unsafe'>) =>
      client.unsafe(`insert into pets (name, category_id) values ('Rex', 1)`);
    const isWaiting = async () => {
      const rows = await other.client`
        select 1 from pg_stat_activity where datname = current_database()
          and query like 'CREATE INDEX CONCURRENTLY%' and wait_event_type = 'Lock'`;
      return rows.length > 0;
    };
    let migrating: Promise<unknown> | undefined;
    await sql.client.begin(async (transaction) => {
      await create(transaction);
      // The index waits for this transaction. What was created with a lock would hold up all others.
      migrating = migratePostgres(database.url);
      await until(isWaiting);
      await other.client`set lock_timeout = '5s'`;
      await create(other.client);
    });
    await migrating;
    expect(await isValid(sql)).toEqual([true]);
    expect(await sql.shape()).toEqual(await shapeOfOneMigration());
  });

  // A role behind PgBouncer has one of 5 s, and an index that took longer was begun again for ever.
  test('without the time limit for statements that its role has', async () => {
    await using database = await databaseOfBefore();
    await using sql = connectTo(database.url);
    await using other = connectTo(database.url);
    const limited = new URL(database.url);
    limited.searchParams.set('statement_timeout', '100');
    const waitsLonger = async () => {
      const rows = await other.client`
        select 1 from pg_stat_activity where datname = current_database()
          and query like 'CREATE INDEX CONCURRENTLY%' and wait_event_type = 'Lock'
          and query_start < clock_timestamp() - interval '200 ms'`;
      return rows.length > 0;
    };
    let migrating: Promise<unknown> | undefined;
    await sql.client.begin(async (transaction) => {
      await transaction`insert into pets (name, category_id) values ('Rex', 1)`;
      migrating = migratePostgres(limited.href);
      await Promise.race([migrating, until(waitsLonger)]);
    });
    await migrating;
    expect(await isValid(sql)).toEqual([true]);
  });

  test('again if an earlier attempt was interrupted', async () => {
    await using database = await databaseOfBefore();
    await using sql = connectTo(database.url);
    await sql.client`create index pets_category_status_id on pets (id)`;
    await sql.client`
      update pg_index set indisvalid = false
      where indexrelid = 'pets_category_status_id'::regclass`;
    await migratePostgres(database.url);
    expect(await isValid(sql)).toEqual([true]);
    expect(await sql.shape()).toEqual(await shapeOfOneMigration());
  });
});

// An open transaction that had read the keys stopped the service: ALTER TABLE waited for its lock, and all
// look-ups of keys behind that.
test('a migration that waits for a lock lets others pass, and says for whom it waits', async () => {
  await using database = await createOldDatabase(indexMigration - 1);
  await using sql = connectTo(database.url);
  await using other = connectTo(database.url);
  await other.client`set lock_timeout = '5s'`;
  await other.client`insert into api_keys (plan) values ('free')`;
  const waits = new Set<string | undefined>();
  let migrating: Promise<unknown> | undefined;
  await sql.client.begin(async (transaction) => {
    await transaction`set application_name = 'idle psql'`;
    const [{ pid } = {}] = await transaction`select pg_backend_pid() as pid from api_keys`;
    migrating = migratePostgres(database.url, {
      timings: { ...defaultTimings.database, migrationPauseMs: 10 },
      onWaiting: (wait) => waits.add(wait?.reason.replace(/\d+ s ago/, 'N s ago')),
    });
    const blocked = `The migration waits for a lock of api_keys, because of process ${pid} (idle psql, idle in transaction), whose transaction began N s ago.`;
    await until(() => waits.has(blocked));
    for (let times = 0; times < 3; times += 1) await other.client`select from api_keys`;
  });
  await migrating;
  expect(await sql.shape()).toEqual(await shapeOfOneMigration());
});

describe.each(databaseKinds)('migrating again on %s', (kind) => {
  test('changes nothing and loses nothing', async () => {
    await using database = await createDatabase(kind);
    const first = await database.open();
    await first.db.execute(`insert into pets (name, category_id) values ('Rex', 1)`);
    await first.close();

    const second = await database.open();
    const { rows } = await all(second.db.execute('select id, name from pets'));
    const { rows: applied } = await all(
      second.db.execute('select count(*)::int as count from drizzle.__drizzle_migrations'),
    );
    await second.close();
    expect(rows).toMatchObject([{ name: 'Rex' }]);
    expect(applied).toEqual([{ count: await countOfMigrations() }]);
  });
});

/** The number of the migration that created the first index online. */
const indexMigration = 8;

async function countOfMigrations(): Promise<number> {
  return (await readdir(join(app, migrations))).filter((file) => file.endsWith('.sql')).length;
}

/** The drivers give rows in two shapes: as an array, or as an object that holds one. */
async function all(result: PromiseLike<unknown>): Promise<{ rows: unknown[] }> {
  const answer = await result;
  return { rows: Array.isArray(answer) ? [...answer] : (answer as { rows: unknown[] }).rows };
}

let shapeOfOne: ReturnType<typeof migrateOnce> | undefined;

const shapeOfOneMigration = () => {
  shapeOfOne ??= migrateOnce();
  return shapeOfOne;
};

async function migrateOnce() {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  await migratePostgres(database.url);
  await using sql = connectTo(database.url);
  return await sql.shape();
}

function connectTo(url: string) {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  return {
    client,
    /** Every column, index, constraint and enumerated value of the public schema. */
    async shape() {
      const columns = await client`
        select table_name, column_name, data_type, is_nullable, column_default, is_identity,
          identity_maximum
        from information_schema.columns where table_schema = 'public' order by 1, 2`;
      const indexes = await client`
        select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`;
      const constraints = await client`
        select conname, pg_get_constraintdef(oid) as definition from pg_constraint
        where connamespace = 'public'::regnamespace order by 1`;
      const values = await client`
        select t.typname, e.enumlabel from pg_enum e join pg_type t on t.oid = e.enumtypid
        order by t.typname, e.enumsortorder`;
      expect(columns.length).toBeGreaterThan(10);
      return [...columns, ...indexes, ...constraints, ...values];
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
