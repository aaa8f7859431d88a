import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { expect, test } from 'vitest';
import { packageDirectory } from './consumer.ts';

test('publint finds no problem in the package', async () => {
  const { messages } = await publint({ pkgDir: packageDirectory, strict: true, pack: 'npm' });
  expect(messages).toEqual([]);
});

const input = join(packageDirectory, 'dist/index.js');

/** Each makes an ES module of all exports, minified. */
const bundlers = {
  async esbuild() {
    const { outputFiles } = await build({
      entryPoints: [input],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    return outputFiles[0]?.text;
  },
  async rolldown() {
    await using bundle = await rolldown({ input });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    return output[0].code;
  },
  async 'rollup, minified by esbuild'() {
    await using bundle = await rollup({ input });
    const { output } = await bundle.generate({ format: 'esm' });
    return (await transform(output[0].code, { minify: true })).code;
  },
};

test.each(Object.entries(bundlers))(
  'all of it takes at most 6 kB in a bundle of %s',
  async (_name, bundle) => {
    const code = (await bundle()) ?? expect.unreachable();
    expect(code).toMatch(/export ?\{.*createClient/s);
    expect(gzipSync(code).length).toBeLessThanOrEqual(6_000);
  },
);
