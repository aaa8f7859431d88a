import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '@animal-store/runtime';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { prepareDataDir } from './data-dir.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('prepareDataDir makes a new or empty directory, and new parent directories, private', async () => {
  await using directory = await temporaryDirectory();
  chmodSync(directory.path, 0o777);
  prepareDataDir(directory.path);
  const parent = join(directory.path, 'parent');
  prepareDataDir(join(parent, 'data'));
  expect([directory.path, parent, join(parent, 'data')].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
});

// All files in the directory are private to their owner. But users who may enter the directory
// could use the socket in it. So a mode that lets the group (710) or others (701) enter is refused.
test.each(['701', '710'])(
  'prepareDataDir refuses a directory that contains files and has the mode %s',
  async (octalMode) => {
    const mode = Number.parseInt(octalMode, 8);
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'data');
    mkdirSync(path);
    writeFileSync(join(path, 'file'), '');
    chmodSync(path, mode);
    expect(() => prepareDataDir(path)).toThrow(
      new StartupError(
        `DATA_DIR: other users can read or change ${path}. Run: chmod 700 '${path}'`,
      ),
    );
    expect(modeOf(path)).toBe(mode);
  },
);

test("prepareDataDir refuses another user's directory", async () => {
  await using directory = await temporaryDirectory();
  const owner = process.geteuid?.();
  const user = vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
  onTestFinished(() => user.mockRestore());
  expect(() => prepareDataDir(directory.path)).toThrow(
    `DATA_DIR: ${directory.path} belongs to the user with id ${owner}, but this process has the user id 12345. Choose`,
  );
});
