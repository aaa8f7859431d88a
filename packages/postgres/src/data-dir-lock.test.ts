import { stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { lockDataDir } from './data-dir-lock.ts';

// `start.test.ts` tests the lock with several processes, and after a process was killed.
test('lockDataDir refuses a second lock on the same directory, even through another path', async () => {
  await using directory = await temporaryDirectory();
  await using other = await temporaryDirectory();
  const alias = join(other.path, 'alias');
  await symlink(directory.path, alias);
  const lock = lockDataDir(directory.path);
  expect(() => lockDataDir(alias)).toThrow(
    `DATA_DIR: another Animal Store is running on ${alias}. Stop it, or choose another DATA_DIR.`,
  );
  lock.release();
  lockDataDir(alias).release();
});

test('lockDataDir creates a lock file that only the user of the process can read', async () => {
  await using directory = await temporaryDirectory();
  lockDataDir(directory.path).release();
  expect((await stat(join(directory.path, 'lock'))).mode & 0o777).toBe(0o600);
});
