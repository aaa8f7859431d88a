import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { postgresPackage, postgresUser, readableBinaries } from './postgres-binaries.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

test('Postgres runs as another user under root, and otherwise as this user', async () => {
  const user = await postgresUser();
  if (isRoot) expect(user?.uid).toBeGreaterThan(0);
  else expect(user).toBeUndefined();
});

test('binaries in a directory that their user may not enter are copied, and run', async () => {
  const user = await postgresUser();
  await using directory = await temporaryDirectory(user ? { parent: '/tmp' } : {});
  await run('chmod', ['755', directory.path]);
  const closed = join(directory.path, 'root');
  await mkdir(closed, { mode: 0o700 });
  await cp(postgresPackage(), join(closed, 'native'), { recursive: true, verbatimSymlinks: true });

  const binaries = await readableBinaries(join(closed, 'native'), user, async () => directory.path);

  // Without another user there is nobody who may not enter.
  expect(binaries).toBe(isRoot ? join(directory.path, 'postgres') : join(closed, 'native'));
  const { stdout } = await run(join(binaries, 'bin/postgres'), ['--version'], { ...user });
  expect(stdout).toContain('PostgreSQL');
});
