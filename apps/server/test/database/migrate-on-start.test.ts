import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { postgresAt, startServer, temporaryDirectory } from '@animal-store/testkit';
import postgres from 'postgres';
import { describe, expect, inject, test } from 'vitest';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { createToken } from '../../src/keys/token.ts';
import { createDatabase, databaseKinds } from '../support/databases.ts';
import { call } from '../support/test-service.ts';

const run = promisify(execFile);
const app = fileURLToPath(new URL('../../', import.meta.url));
const migrations = 'src/database/migrations';

test('three servers that start at once on an empty database migrate it once and all serve', async () => {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  await using started = new AsyncDisposableStack();
  const servers = await Promise.all(
    Array.from({ length: 3 }, () => startServer({ env: { DATABASE_URL: database.url } })),
  );
  for (const server of servers) started.use(server);
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
  const migrate = (env: Readonly<Record<string, string>>) =>
    run(process.execPath, [join(app, 'src/migrate.ts')], { env });

  test('migrates a database once, and ends', async () => {
    await using database = await postgresAt(inject('postgres')).createDatabase();
    for (let i = 0; i < 2; i += 1) {
      const { stdout, stderr } = await migrate({ DATABASE_URL: database.url });
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
    await expect(migrate(env)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^DATABASE_URL: [^\n]+\n$/),
    });
  });
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

describe('the committed migrations', () => {
  test('are exactly what drizzle-kit generates from the schema', async () => {
    await using copy = await copyOfMigrations();
    expect(await generate(copy.schema, copy.out)).toEqual([]);
  });

  test('would differ if the schema had one more column', async () => {
    await using copy = await copyOfMigrations();
    const schema = await readFile(copy.schema, 'utf8');
    await writeFile(
      copy.schema,
      schema.replace('name: text().notNull(),', 'name: text().notNull(), extra: text(),'),
    );
    const [file = '', ...more] = await generate(copy.schema, copy.out);
    expect(more).toEqual([]);
    expect(await readFile(join(copy.out, file), 'utf8')).toMatch(/ADD COLUMN "extra" text;/);
  });
});

/** A copy of the schema and its migrations, beside the code so that imports are found. */
async function copyOfMigrations() {
  const directory = await temporaryDirectory({ parent: join(app, 'node_modules') });
  const out = join(directory.path, 'migrations');
  const schema = join(directory.path, 'schema.ts');
  await cp(join(app, migrations), out, { recursive: true });
  await cp(join(app, 'src/database/schema.ts'), schema);
  return { out, schema, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** Lets drizzle-kit write what is missing, and gives the names of the files. */
async function generate(schema: string, out: string): Promise<string[]> {
  const before = new Set(await readdir(out));
  const { stdout } = await run(
    join(app, 'node_modules/.bin/drizzle-kit'),
    // Relative paths: it takes no others, and then fails with exit code 0.
    [
      'generate',
      '--dialect=postgresql',
      `--schema=${relative(app, schema)}`,
      `--out=${relative(app, out)}`,
    ],
    { cwd: app },
  );
  expect(stdout).toMatch(/No schema changes|Your SQL migration file/);
  return (await readdir(out)).filter((file) => !before.has(file));
}

async function countOfMigrations(): Promise<number> {
  return (await readdir(join(app, migrations))).filter((file) => file.endsWith('.sql')).length;
}

/** The drivers give rows in two shapes: as an array, or as an object that holds one. */
async function all(result: PromiseLike<unknown>): Promise<{ rows: unknown[] }> {
  const answer = await result;
  return { rows: Array.isArray(answer) ? [...answer] : (answer as { rows: unknown[] }).rows };
}

async function shapeOfOneMigration() {
  await using database = await postgresAt(inject('postgres')).createDatabase();
  await (await openPostgres(database.url)).close();
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
