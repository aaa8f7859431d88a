import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clientReference } from './client-reference.ts';

test('the pages of the client describe the built client', async () => {
  for (const [file, text] of Object.entries(await clientReference())) {
    expect(
      (await readFile(file, 'utf8').catch(() => '')) === text,
      `${file} is stale. Write it again: npm --prefix apps/docs run client-reference`,
    ).toBe(true);
  }
});
