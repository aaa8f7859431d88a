import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as client from '../src/index.ts';
import { compileConsumer, fewCompilations, typescript7 } from './compile-consumer.ts';
import { type Consumer, createConsumer, packageDirectory, runIn } from './consumer.ts';

// The package as its users get it: packed, installed into an empty folder, imported from there.

const dist = join(packageDirectory, 'dist');

let consumer: Consumer;

/** What it exports; `src/index.test.ts` lists the names. */
const names = Object.keys(client).sort();

beforeAll(async () => {
  consumer = await createConsumer();
});

afterAll(() => consumer[Symbol.asyncDispose]());

test('nothing in dist names what a user does not have', async () => {
  const files = (await readdir(dist)).sort();
  expect(files).toEqual([
    'index.cjs',
    'index.cjs.map',
    'index.d.cts',
    'index.d.ts',
    'index.js',
    'index.js.map',
    'testing.cjs',
    'testing.cjs.map',
    'testing.d.cts',
    'testing.d.ts',
    'testing.js',
    'testing.js.map',
  ]);
  for (const file of files.filter((name) => !name.endsWith('.map'))) {
    expect(await readFile(join(dist, file), 'utf8'), file).not.toMatch(
      /zod|ts-rest|@animal-store\/contract|\bany\b(?=[;,)>[\]])/,
    );
  }
});

test('the package holds its build, manifest, README and licence, and depends on nothing', async () => {
  const installed = join(consumer.path, 'node_modules/@animal-store/client');
  expect((await readdir(installed)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
  ]);
  expect((await readdir(join(consumer.path, 'node_modules'))).sort()).toEqual([
    '.package-lock.json',
    '@animal-store',
  ]);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(manifest).toHaveProperty('repository.directory', 'packages/client');
  expect(JSON.stringify(manifest)).not.toMatch(/catalog:|workspace:/);
});

test('its source maps hold every source', async () => {
  for (const file of ['index.js.map', 'index.cjs.map']) {
    const map = JSON.parse(await readFile(join(dist, file), 'utf8')) as {
      sources: string[];
      sourcesContent: (string | null)[];
    };
    expect(map.sources).toContain('../src/quota-gate.ts');
    expect(map.sourcesContent).toHaveLength(map.sources.length);
    expect(map.sourcesContent).not.toContain(null);
  }
});

test('npm refuses to pack it, because only pnpm writes a manifest that can be installed', async () => {
  const packing = runIn(packageDirectory, 'npm', ['pack', '--dry-run']);
  await expect(packing).rejects.toThrow('Pack it with pnpm: npm exec pnpm pack');
});

test('an ES module imports it', async () => {
  await consumer.write(
    'run.mjs',
    `import * as client from '@animal-store/client';
     console.log(JSON.stringify(Object.keys(client)));`,
  );
  expect(JSON.parse(await consumer.run(process.execPath, ['run.mjs']))).toEqual(names);
});

test('a CommonJS module requires it', async () => {
  await consumer.write(
    'run.cjs',
    `const { createClient, ...rest } = require('@animal-store/client');
     const store = createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'key' });
     store.listPets({}, { maxRetries: 0 }).catch((error) => {
       if (!(error instanceof rest.ConnectionError)) throw error;
       console.log(JSON.stringify(['createClient', ...Object.keys(rest)].sort()));
     });`,
  );
  expect(JSON.parse(await consumer.run(process.execPath, ['run.cjs']))).toEqual(names);
});

test('@animal-store/client/testing is imported and required, and works with the client', async () => {
  const code = `
    const service = createTestService({ pets: [{ name: 'Mia', categoryId: 3 }] });
    createClient(service.clientOptions).listPets().then(({ pets }) => console.log(pets[0].name));`;
  const names = [
    ['createClient', '@animal-store/client'],
    ['createTestService', '@animal-store/client/testing'],
  ] as const;
  const imports = names.map(([name, from]) => `import { ${name} } from '${from}';`);
  const requires = names.map(([name, from]) => `const { ${name} } = require('${from}');`);
  await consumer.write('testing.mjs', imports.join('\n') + code);
  await consumer.write('testing.cjs', requires.join('\n') + code);
  expect(await consumer.run(process.execPath, ['testing.mjs'])).toBe('Mia\n');
  expect(await consumer.run(process.execPath, ['testing.cjs'])).toBe('Mia\n');
});

test('its two halves know the errors of one another', async () => {
  await consumer.write(
    'both.mjs',
    `import { createRequire } from 'node:module';
     import * as esm from '@animal-store/client';
     const cjs = createRequire(import.meta.url)('@animal-store/client');
     const fetch = async () => new Response('{}', { status: 429 });
     const store = cjs.createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'key', fetch, maxRetries: 0 });
     const error = await store.listPets().catch((reason) => reason);
     console.log(error instanceof esm.ApiError, esm.isApiError(error), esm.isApiError(error, 429));`,
  );
  expect(await consumer.run(process.execPath, ['both.mjs'])).toBe('false true true\n');
});

// `heavy/types.heavy.test.ts` has all combinations.
test.each(fewCompilations)(
  'TypeScript 7 with $resolution compiles it for $runtime, and the README’s examples',
  async ({ options }) => {
    await compileConsumer(consumer, typescript7, options);
  },
);
