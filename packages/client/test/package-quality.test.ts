import { join } from 'node:path';
import { publint } from 'publint';
import { expect, test } from 'vitest';
import { packageDirectory, runIn } from './consumer.ts';

test('publint finds no problem in the package', async () => {
  const { messages } = await publint({ pkgDir: packageDirectory, strict: true, pack: 'npm' });
  expect(messages).toEqual([]);
});

test('the client is at most 5 kB, minified and gzipped', async () => {
  const sizeLimit = join(packageDirectory, 'node_modules/.bin/size-limit');
  const output = await runIn(packageDirectory, sizeLimit, ['--json']);
  expect(JSON.parse(output)).toMatchObject([{ passed: true, sizeLimit: 5_000 }]);
});
