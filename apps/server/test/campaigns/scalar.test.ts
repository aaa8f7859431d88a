import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { tools } from '@animal-store/heavy-tools';
import { expect, test } from 'vitest';

test("the reference page's script is Scalar's own file, byte for byte", async () => {
  const [copy, original] = await Promise.all([
    readFile(new URL('../../assets/reference/scalar.js.gz', import.meta.url)),
    readFile(tools.scalar),
  ]);
  expect(
    gunzipSync(copy).equals(original),
    'The copy is not of the installed version. Renew it: npm --prefix apps/server run copy-scalar',
  ).toBe(true);
});
