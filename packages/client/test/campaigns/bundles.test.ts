import { join } from 'node:path';
import { tools } from '@animal-store/heavy-tools';
import { expect, test } from 'vitest';
import { packageDirectory } from '../consumer.ts';
import { expectSmallBundle } from '../expect-small-bundle.ts';

/** They write about 100 bytes more than rolldown, which `process/packaging.test.ts` holds to 6,500. */
const maxBytes = 6_650;

const input = join(packageDirectory, 'dist/index.js');

test('all of it takes at most 6.65 kB in a bundle of esbuild', async () => {
  const { build } = await import(tools.esbuild);
  const options = { entryPoints: [input], bundle: true, minify: true, format: 'esm', write: false };
  const { outputFiles } = await build(options);
  expectSmallBundle(outputFiles[0]?.text ?? expect.unreachable(), maxBytes);
});

test('all of it takes at most 6.65 kB in a bundle of rollup, minified by esbuild', async () => {
  const [{ rollup }, { transform }] = await Promise.all([
    import(tools.rollup),
    import(tools.esbuild),
  ]);
  const bundle = await rollup({ input });
  const { output } = await bundle.generate({ format: 'esm' });
  expectSmallBundle((await transform(output[0].code, { minify: true })).code, maxBytes);
});
