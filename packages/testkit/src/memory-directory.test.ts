import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryDirectory } from './memory-directory.ts';
import { temporaryDirectory } from './temporary-directory.ts';

test('a file system that is not in memory, or not there, is not used', async () => {
  await using directory = await temporaryDirectory();
  expect(memoryDirectory(directory.path, '/proc')).toBe(directory.path);
  expect(memoryDirectory(directory.path, join(directory.path, 'none'))).toBe(directory.path);
});
