import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { tools } from '@animal-store/heavy-tools';
import { repository, temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const app = join(repository, 'apps/server');
const committed = join(app, 'src/schema/migrations');

test('the committed migrations equal the migrations that drizzle-kit generates from the schema', async () => {
  // The temporary folder is inside the app, so that imports in it can be resolved.
  await using directory = await temporaryDirectory({ parent: join(app, 'node_modules') });
  const out = join(directory.path, 'migrations');
  await cp(committed, out, { recursive: true });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // The paths are relative, because drizzle-kit fails if they are absolute. Even then, its exit
    // code is 0.
    [
      ...[tools.drizzleKit, 'generate', '--dialect=postgresql'],
      ...['--schema=src/schema/schema.ts', `--out=${relative(app, out)}`],
    ],
    { cwd: app },
  );
  expect(stdout).toContain('No schema changes');
  expect(await readdir(out)).toEqual(await readdir(committed));
});
