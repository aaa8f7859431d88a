import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { StartupError } from '../shared/startup-error.ts';
import { lockDataDir } from './data-dir-lock.ts';

test('a data directory is locked once at a time', async () => {
  await using directory = await temporaryDirectory();
  const lock = lockDataDir(directory.path);
  expect(() => lockDataDir(directory.path)).toThrow(StartupError);
  expect(() => lockDataDir(directory.path)).toThrow(
    `DATA_DIR: another Animal Store is running on ${directory.path}. Stop it, or choose another DATA_DIR.`,
  );
  lock.release();
  lockDataDir(directory.path).release();
});

test('the lock is on the directory, whatever name it goes by', async () => {
  await using directory = await temporaryDirectory();
  await using other = await temporaryDirectory();
  const alias = join(other.path, 'alias');
  await symlink(directory.path, alias);
  const lock = lockDataDir(directory.path);
  expect(() => lockDataDir(alias)).toThrow(StartupError);
  lock.release();
});

test('another process is kept out, and gets in when the first one is killed', async () => {
  await using directory = await temporaryDirectory();
  const module = new URL('./data-dir-lock.ts', import.meta.url);
  const holder = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { lockDataDir } from ${JSON.stringify(module)};
       globalThis.lock = lockDataDir(${JSON.stringify(directory.path)});
       process.stdout.write('locked');
       setInterval(() => {}, 1_000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    await once(holder.stdout, 'data');
    expect(() => lockDataDir(directory.path)).toThrow(StartupError);
  } finally {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  }
  lockDataDir(directory.path).release();
});

test('a file that is no lock is not taken for one that is held', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'lock'), 'something else, and enough of it to be read');
  expect(() => lockDataDir(directory.path)).toThrow('file is not a database');
});
