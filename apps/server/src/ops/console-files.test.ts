import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { readConsoleFiles } from './console-files.ts';

const notBuilt = {
  name: 'HttpError',
  status: 503,
  code: 'service_unavailable',
  message: expect.stringContaining('run `node scripts/build-console.mjs`'),
};

test('a console that is not built is refused with 503 and the command that builds it', async () => {
  await using directory = await temporaryDirectory();
  const folder = pathToFileURL(`${directory.path}/`);

  await expect(readConsoleFiles(new URL('dist/', folder))).rejects.toMatchObject(notBuilt);
});

test('a console whose build has not written the page yet is refused with 503', async () => {
  await using directory = await temporaryDirectory();
  const folder = pathToFileURL(`${directory.path}/`);
  await writeFile(new URL('index-1.js', folder), '');

  await expect(readConsoleFiles(folder)).rejects.toMatchObject(notBuilt);

  await writeFile(new URL('index.html', folder), '<!doctype html>');
  const files = await readConsoleFiles(folder);
  expect([...files.keys()].sort()).toEqual(['', 'index-1.js']);
});
