import { join } from 'node:path';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { packageDirectory } from './consumer.ts';
import { expectSmallBundle } from './expect-small-bundle.ts';

test('publint finds no problem in the package', async () => {
  const { messages } = await publint({ pkgDir: packageDirectory, strict: true, pack: 'npm' });
  expect(messages).toEqual([]);
});

// With other bundlers: bundles.heavy.test.ts.
test('all of it takes at most 6.2 kB in a bundle of rolldown', async () => {
  await using bundle = await rolldown({ input: join(packageDirectory, 'dist/index.js') });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expectSmallBundle(output[0].code, 6_200);
});
