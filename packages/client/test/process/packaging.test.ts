import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Consumer, createConsumer, runIn } from '@animal-store/testkit';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import * as client from '../../src/index.ts';
import { compilations, compileConsumer, typescript7 } from '../compile-consumer.ts';
import { packageDirectory } from '../package-directory.ts';

// These tests use the package as its users do. They pack it, install it into an empty folder, and
// import it from there.

const dist = join(packageDirectory, 'dist');

let consumer: Consumer;
/** The names in `node_modules` after the installation of the package. */
let modules: string[];

const filesOf = async (folder: string) => (await readdir(folder)).sort();

/** The names that the package exports, taken from its source. */
const names = Object.keys(client).sort();

beforeAll(async () => {
  consumer = await createConsumer(packageDirectory);
  modules = await filesOf(join(consumer.path, 'node_modules'));
  return consumer[Symbol.asyncDispose];
});

test('the packed client contains its build, manifest, README and licence, and has no dependencies', async () => {
  const installed = join(consumer.path, 'node_modules/@animal-store/client');
  expect(await filesOf(installed)).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(await filesOf(join(installed, 'dist'))).toEqual(
    ['index', 'testing'].flatMap((entry) =>
      ['cjs', 'cjs.map', 'd.cts', 'd.ts', 'js', 'js.map'].map((type) => `${entry}.${type}`),
    ),
  );
  expect(modules).toEqual(['.package-lock.json', '@animal-store']);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object;
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(manifest).toHaveProperty('repository.directory', 'packages/client');
  expect(JSON.stringify(manifest)).not.toMatch(/catalog:|workspace:/);
});

test('the packed client does not mention packages that exist only in this repository, and its source maps contain every source', async () => {
  for (const file of await readdir(dist)) {
    const text = await readFile(join(dist, file), 'utf8');
    if (file.endsWith('.map')) {
      const map = JSON.parse(text) as { sources: string[]; sourcesContent: (string | null)[] };
      expect(map.sourcesContent).toHaveLength(map.sources.length);
      expect(map.sourcesContent).not.toContain(null);
    } else {
      expect(text, file).not.toMatch(
        /zod|ts-rest|@animal-store\/(contract|quotas)|ioredis|rate-limiter-flexible|\bany\b(?=[;,)>[\]])/,
      );
    }
  }
});

test('the guide /docs/guides/typescript shows the same install commands that this test runs', async () => {
  const guide = 'apps/docs/content/guides/typescript.md';
  const text = await readFile(join(packageDirectory, '../..', guide), 'utf8');
  expect(text.match(/^npm .*/gm)).toEqual([
    'npm run tarballs',
    'npm install ../animal-store/release/animal-store-client.tgz',
  ]);
});

test('the release script refuses to publish when the manifest names another repository', async () => {
  const release = runIn(join(packageDirectory, '../..'), process.execPath, [
    'scripts/check-release.mjs',
  ]);
  await expect(release).rejects.toThrow(/repository is \S+, but the release runs in /);
});

test('the packed client loads as ES module and as CommonJS module, and each module recognizes the errors of the other module', async () => {
  await consumer.write(
    'both.mjs',
    `import { createRequire } from 'node:module';
     import * as esm from '@animal-store/client';
     import { createTestService } from '@animal-store/client/testing';
     const require = createRequire(import.meta.url);
     const cjs = require('@animal-store/client');
     const known = [];
     for (const create of [createTestService, require('@animal-store/client/testing').createTestService]) {
       const service = create();
       service.failNext('pet_not_found');
       const error = await cjs.createClient(service.clientOptions).listPets().catch((reason) => reason);
       known.push(error instanceof esm.ApiError, esm.isApiError(error, 404));
     }
     console.log(JSON.stringify([Object.keys(esm), Object.keys(cjs).sort(), known]));`,
  );
  const output = await consumer.run(process.execPath, ['both.mjs']);
  expect(JSON.parse(output)).toEqual([names, names, [false, true, false, true]]);
});

// The campaign (long test) `client-compilers` runs older compilers, and more sets of types.
test.each(['the language alone', 'Node with the DOM'] as const)(
  'TypeScript 7 compiles the packed client and the examples of the README with the types of %s',
  (runtime) => compileConsumer(consumer, typescript7, compilations[runtime]),
);

test('the tool publint finds no problem in the packed client', async () => {
  const tarball = new Uint8Array(consumer.tarball).buffer;
  const { messages } = await publint({ strict: true, pack: { tarball } });
  expect(messages).toEqual([]);
});

// The campaign (long test) `bundles` checks the sizes of bundles that esbuild and Rollup create.
test('a bundle of the whole client that rolldown creates has at most 7.9 kB', async () => {
  await using bundle = await rolldown({ input: join(packageDirectory, 'dist/index.js') });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expect(output[0].exports).toContain('createClient');
  expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(7_900);
});
