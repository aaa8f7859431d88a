import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tools } from '@animal-store/heavy-tools';
import { expect, test } from 'vitest';
import { packageDirectory } from '../package-directory.ts';

// The bundles of esbuild and rollup are about 200 bytes larger than the bundle of rolldown. The
// size limit for rolldown is in `process/packaging.test.ts`.
test('a bundle of the whole client that esbuild or rollup creates has at most 8.1 kB', async () => {
  const { build, transform } = await import(tools.esbuild);
  const { rollup } = await import(tools.rollup);
  const input = join(packageDirectory, 'dist/index.js');
  const minified = { minify: true, format: 'esm' };
  const ofEsbuild = await build({ ...minified, entryPoints: [input], bundle: true, write: false });
  const ofRollup = await (await rollup({ input })).generate({ format: 'esm' });
  const { code } = await transform(ofRollup.output[0].code, minified);
  expect(gzipSync(ofEsbuild.outputFiles[0].text).length).toBeLessThanOrEqual(8_100);
  expect(gzipSync(code).length).toBeLessThanOrEqual(8_100);
});
