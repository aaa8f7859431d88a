import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

test('a temporary directory is empty, private and removed with what is in it', async () => {
  let path: string;
  {
    await using directory = await temporaryDirectory();
    path = directory.path;
    expect(await readdir(path)).toEqual([]);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await writeFile(join(path, 'file'), 'text');
  }
  expect(existsSync(path)).toBe(false);
});
