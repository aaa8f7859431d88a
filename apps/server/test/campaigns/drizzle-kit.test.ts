import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tools } from '@animal-store/heavy-tools';
import { temporaryDirectory } from '@animal-store/testkit';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const app = fileURLToPath(new URL('../../', import.meta.url));
const migrations = 'src/database/migrations';

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
    process.execPath,
    // Relative paths: it takes no others, and then fails with exit code 0.
    [
      ...[tools.drizzleKit, 'generate'],
      '--dialect=postgresql',
      `--schema=${relative(app, schema)}`,
      `--out=${relative(app, out)}`,
    ],
    { cwd: app },
  );
  expect(stdout).toMatch(/No schema changes|Your SQL migration file/);
  return (await readdir(out)).filter((file) => !before.has(file));
}
