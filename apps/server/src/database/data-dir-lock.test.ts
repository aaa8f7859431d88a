import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { StartupError } from '../shared/startup-error.ts';
import { lockDataDir } from './data-dir-lock.ts';

// By other processes, too, and not by one that was killed: start.test.ts.
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

test('a file that is no lock is not taken for one that is held', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'lock'), 'something else, and enough of it to be read');
  expect(() => lockDataDir(directory.path)).toThrow('file is not a database');
});
