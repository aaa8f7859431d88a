import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '@animal-store/runtime';
import { temporaryDirectory } from '@animal-store/testkit';
import { beforeEach, expect, test } from 'vitest';
import { beginDatabase } from './new-database.ts';

let dataDir: string;
let directory: string;
beforeEach(async () => {
  const temporary = await temporaryDirectory();
  dataDir = temporary.path;
  directory = join(dataDir, 'postgres');
  await mkdir(join(directory, 'base'), { recursive: true });
  return () => temporary[Symbol.asyncDispose]();
});

const begin = () => beginDatabase(dataDir, directory);

// Regression: PGlite created an empty database in the place of all data.
test('beginDatabase refuses a directory that contains files but no PG_VERSION, and deletes nothing', async () => {
  expect(begin).toThrow(
    new StartupError(
      `DATA_DIR: ${directory} is damaged: it contains files, but not PG_VERSION. Nothing was changed. Restore a backup of ${dataDir}, or set DATA_DIR to a new directory to start with an empty database`,
    ),
  );
  expect(await readdir(dataDir)).toEqual(['postgres']);
  expect(await readdir(directory)).toEqual(['base']);
});

test('beginDatabase keeps the files of a complete database', async () => {
  await writeFile(join(directory, 'PG_VERSION'), '18\n');
  begin()();
  expect(await readdir(dataDir)).toEqual(['postgres']);
  expect(await readdir(directory)).toEqual(['PG_VERSION', 'base']);
});

test('beginDatabase sets the files of an interrupted creation aside, until a creation is complete', async () => {
  const other = join(dataDir, 'empty');
  await mkdir(other);
  beginDatabase(dataDir, other);
  const finish = begin();
  expect(await readdir(directory)).toEqual([]);
  await writeFile(join(directory, 'PG_VERSION'), '18\n');
  finish();
  begin();
  expect(await readdir(directory)).toEqual(['PG_VERSION']);
  const [aside = ''] = (await readdir(dataDir)).filter((name) => name.includes('interrupted'));
  expect(aside).toMatch(/^postgres-interrupted-\d+$/);
  expect(await readdir(join(dataDir, aside))).toEqual(['base']);
  expect((await readdir(dataDir)).sort()).toEqual(['empty', 'postgres', aside]);
});
