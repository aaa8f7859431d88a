import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, createConsumer, packageDirectory, runIn } from './consumer.ts';

let consumer: Consumer;

beforeAll(async () => {
  consumer = await createConsumer();
}, 60_000);

afterAll(() => consumer[Symbol.asyncDispose]());

test('publint has nothing to say', async () => {
  const { messages } = await publint({ pkgDir: packageDirectory, strict: true, pack: 'npm' });
  expect(messages).toEqual([]);
}, 60_000);

test('the types are not wrong, however they are resolved', async () => {
  const result = await checkPackage(createPackageFromTarballData(consumer.tarball));
  expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] });
}, 60_000);

test('all of it is at most 5 kB, minified and gzipped', async () => {
  const sizeLimit = join(packageDirectory, 'node_modules/.bin/size-limit');
  const output = await runIn(packageDirectory, sizeLimit, ['--json']);
  expect(JSON.parse(output)).toMatchObject([{ passed: true, sizeLimit: 5_000 }]);
}, 60_000);
