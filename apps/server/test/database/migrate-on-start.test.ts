import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresAt, temporaryDirectory, until } from '@animal-store/testkit';
import postgres from 'postgres';
import { describe, expect, inject, test } from 'vitest';
import { migratePostgres } from '../../src/database/migrate-postgres.ts';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { apiKeys, pets } from '../../src/database/schema.ts';
import { createToken } from '../../src/keys/token.ts';
import { defaultTimings } from '../../src/shared/timings.ts';
import { openLocalServer } from '../support/local-server.ts';
import { createOldDatabase } from '../support/old-database.ts';
import { call } from '../support/test-service.ts';

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

describe('an index of the animals is created online', () => {
  const isValid = async ({ client }: ReturnType<typeof connectTo>) => {
    const rows = await client`
      select indisvalid from pg_index where indexrelid = to_regclass('pets_category_status_id')`;
    return rows.map((row) => row['indisvalid']);
  };

  /** A database as the version before the index left it. */
  const databaseOfBefore = () => createOldDatabase(indexMigration);

  // A role behind PgBouncer has a limit of 5 s, and an index that took longer was begun again for ever.
  test('while animals are created, without the time limit for statements that its role has', async () => {
    await using database = await databaseOfBefore();
    await using sql = connectTo(database.url);
    await using other = connectTo(database.url);
    const create = (client: Pick<postgres.Sql, 'unsafe'>) =>
      client.unsafe(`insert into pets (name, category_id) values ('Rex', 1)`);
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
      await create(transaction);
      // The index waits for this transaction. What was created with a lock would hold up all others.
      migrating = migratePostgres(limited.href);
      await Promise.race([migrating, until(waitsLonger)]);
      await other.client`set lock_timeout = '5s'`;
      await create(other.client);
    });
    await migrating;
    expect(await isValid(sql)).toEqual([true]);
    expect(await sql.shape()).toEqual(await shapeOfOneMigration());
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

/** The number of the migration that created the first index online. */
const indexMigration = 8;

async function countOfMigrations(): Promise<number> {
  return (await readdir(join(app, migrations))).filter((file) => file.endsWith('.sql')).length;
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
    /** Every column, index, constraint and enumerated value of the public schema, a line each. */
    async shape() {
      const lines = await client`
        select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default,
            is_identity, identity_maximum) as line
          from information_schema.columns where table_schema = 'public'
        union all select indexdef from pg_indexes where schemaname = 'public'
        union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
          where connamespace = 'public'::regnamespace
        union all select concat_ws(' ', typname, enumlabel, enumsortorder) from pg_enum
          join pg_type on pg_type.oid = enumtypid
        order by line`;
      expect(lines.length).toBeGreaterThan(10);
      return lines.map(({ line }) => line);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
