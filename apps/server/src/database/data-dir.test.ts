import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@animal-store/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { StartupError } from '../shared/startup-error.ts';
import { prepareDataDir } from './data-dir.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A directory with a file in it, as anybody may have left it. */
function makeDirectory(path: string, mode: number): void {
  mkdirSync(path);
  writeFileSync(join(path, 'file'), '');
  chmodSync(path, mode);
}

test('a new directory and its new parents are for this user alone', async () => {
  await using directory = await temporaryDirectory();
  const parent = join(directory.path, 'parent');
  prepareDataDir(join(parent, 'data'));
  expect([modeOf(parent), modeOf(join(parent, 'data'))]).toEqual([0o700, 0o700]);
});

test('an empty directory is made private', async () => {
  await using directory = await temporaryDirectory();
  chmodSync(directory.path, 0o777);
  prepareDataDir(directory.path);
  expect(modeOf(directory.path)).toBe(0o700);
});

// Its files are for their owner alone, so what the group could use of it is the socket.
test.each([0o755, 0o701, 0o750, 0o710, 0o770, 0o777])(
  'a directory with files and mode %o is refused',
  async (mode) => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'data');
    makeDirectory(path, mode);
    expect(() => prepareDataDir(path)).toThrow(StartupError);
    expect(() => prepareDataDir(path)).toThrow(
      `DATA_DIR: other users can read or change ${path}. Run: chmod 700 '${path}'`,
    );
    expect(modeOf(path)).toBe(mode);
  },
);

test('a private directory with files is kept as it is', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'data');
  makeDirectory(path, 0o700);
  prepareDataDir(path);
  expect(modeOf(path)).toBe(0o700);
});

test("another user's directory is refused", async () => {
  await using directory = await temporaryDirectory();
  const owner = process.geteuid?.();
  vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
  expect(() => prepareDataDir(directory.path)).toThrow(
    `DATA_DIR: ${directory.path} belongs to the user with id ${owner}, and this is 12345. Choose`,
  );
});
