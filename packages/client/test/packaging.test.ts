import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Server, startServer } from '@animal-store/testkit';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as client from '../src/index.ts';
import { compileConsumer, fewCompilations, typescript7 } from './compile-consumer.ts';
import { type Consumer, createConsumer, packageDirectory, runIn } from './consumer.ts';
import { expectSmallBundle } from './expect-small-bundle.ts';
import { readExamples } from './readme.ts';

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

// The campaign `client-compilers` has all combinations.
test.each(fewCompilations)(
  'TypeScript 7 with $resolution compiles it for $runtime, and the README’s examples',
  async ({ options }) => {
    await compileConsumer(consumer, typescript7, options);
  },
);

test('publint finds no problem in the package', async () => {
  const tarball = new Uint8Array(consumer.tarball).buffer;
  const { messages } = await publint({ strict: true, pack: { tarball } });
  expect(messages).toEqual([]);
});

// With other bundlers: the campaign `bundles`.
test('all of it takes at most 6.2 kB in a bundle of rolldown', async () => {
  await using bundle = await rolldown({ input: join(packageDirectory, 'dist/index.js') });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expectSmallBundle(output[0].code, 6_200);
});

const examples = await readExamples();

describe('the README', () => {
  let service: Server;
  beforeAll(async () => {
    service = await startServer();
    return () => service[Symbol.asyncDispose]();
  });

  const outputs = [
    /^Mia is for sale\n$/,
    /^\d+ animals\n0 since then\n\d+\n$/,
    /^400 invalid_request name: .*\n$/,
    /^true\n$/,
    /^$/,
    /^true\n$/,
    /^listPets attempt 1\n200 \d+\n\d \S+\n$/,
    /^\{"name":"Mia","categoryId":9007199254740993\} \{ name: 'Mia', categoryId: 9007199254740993n \}\n$/,
    /^Mia,Tom 2\n$/,
    /^\w+\n2 of three\n$/,
  ];

  test.each(examples.map((code, index) => [index, code] as const))(
    'example %i runs as it stands',
    async (index, code) => {
      expect(examples).toHaveLength(outputs.length);
      const program = code
        .replaceAll("'http://127.0.0.1:3000/v1'", JSON.stringify(service.baseUrl))
        .replaceAll("'ast_your_key'", JSON.stringify(service.demoKey));
      await consumer.write(`example-${index}.mts`, program);
      expect(await consumer.run(process.execPath, [`example-${index}.mts`])).toMatch(
        outputs[index] ?? '',
      );
    },
  );
});
