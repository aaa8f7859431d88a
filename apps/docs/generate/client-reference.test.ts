import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { clientReference } from './client-reference.ts';

test('the committed client reference matches the declarations of the built client', async () => {
  for (const [file, text] of Object.entries(await clientReference())) {
    expect(
      (await readFile(file, 'utf8').catch(() => '')) === text,
      `${file} is stale. Write it again: npm --prefix apps/docs run client-reference`,
    ).toBe(true);
  }
});
