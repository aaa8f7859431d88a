import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Consumer, createConsumer, packageDirectory } from './consumer.ts';
import { readExamples } from './readme.ts';

// The package as its users get it: packed, installed into an empty folder, imported from there.

const dist = join(packageDirectory, 'dist');
const require = createRequire(import.meta.url);
const compilers = {
  'TypeScript 7': join(dirname(require.resolve('typescript/package.json')), 'bin/tsc'),
  'TypeScript 5.9': join(dirname(require.resolve('typescript59/package.json')), 'bin/tsc'),
};
const nodeTypes = dirname(require.resolve('@types/node/package.json'));

let consumer: Consumer;

const names = [
  'AbortError',
  'AnimalStoreError',
  'ApiError',
  'AuthenticationError',
  'BadRequestError',
  'ConflictError',
  'ConnectionError',
  'NotFoundError',
  'RateLimitError',
  'ServerError',
  'TimeoutError',
  'UnprocessableError',
  'createClient',
  'isAnimalStoreError',
  'isApiError',
  'parseJson',
  'stringifyJson',
  'version',
];

beforeAll(async () => {
  consumer = await createConsumer();
});

afterAll(() => consumer[Symbol.asyncDispose]());

test('nothing in dist names what a user does not have', async () => {
  const files = (await readdir(dist)).sort();
  expect(files).toEqual(['index.cjs', 'index.d.cts', 'index.d.ts', 'index.js']);
  for (const file of files) {
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

describe('TypeScript', () => {
  const program = `
    import {
      type CallOptions,
      type ClientOptions,
      createClient,
      isApiError,
      NotFoundError,
      type NewPet,
      type Pet,
    } from '@animal-store/client';

    const store = createClient({ baseUrl: 'http://localhost:3000/v1', apiKey: 'key', fetch });
    const newPet: NewPet = { name: 'Mia', categoryId: 9007199254740993n };

    // Whatever may be left out may be undefined, also under exactOptionalPropertyTypes.
    export const options: CallOptions = { signal: undefined, timeoutMs: undefined };
    export const clientOptions: Partial<ClientOptions> = { onRetry: ({ delayMs }) => delayMs };

    export async function collect(): Promise<Pet[]> {
      for await (const pet of store.eachPet({ status: 'sold' })) pet.name satisfies string;
      for await (const { pets: [pet] } of store.eachPet().pages())
        pet?.categoryId satisfies number | bigint | undefined;
      const { data, requestId, rateLimit } = await store.listPets().withResponse();
      rateLimit?.resetAt satisfies Date | undefined;
      return requestId === undefined ? data.pets : store.eachPet().toArray({ max: 5 });
    }

    export async function main(signal?: AbortSignal): Promise<Pet[]> {
      const { id }: Pet = await store.createPet(newPet, { signal, idempotencyKey: 'once' });
      // @ts-expect-error there is no such status
      await store.listPets({ status: 'lost' });
      try {
        return [await store.getPet(id)];
      } catch (error) {
        if (error instanceof NotFoundError) error.status satisfies 404;
        if (isApiError(error, 429)) error.retryAfterMs satisfies number | undefined;
        // A code of tomorrow compiles, and so does a switch with a default.
        if (isApiError(error) && error.code === 'a_code_of_tomorrow') return [];
        throw error;
      }
    }
  `;

  const readmeExamples: string[] = [];

  beforeAll(async () => {
    await consumer.write('program.mts', program);
    await consumer.write('program.cts', program);
    for (const [index, code] of (await readExamples()).entries()) {
      readmeExamples.push(`readme-${index}.mts`);
      await consumer.write(`readme-${index}.mts`, code);
    }
    expect(readmeExamples.length).toBeGreaterThan(5);
  });

  const modules = {
    node16: { module: 'node16' },
    nodenext: { module: 'nodenext' },
    bundler: { module: 'preserve', moduleResolution: 'bundler' },
  };
  const runtimes = {
    'a browser': { lib: ['es2022', 'dom'], types: [] },
    // What bundlers' templates still begin with.
    'an older browser': { lib: ['es2020', 'dom', 'dom.iterable'], types: [] },
    Node: { lib: ['es2022'], types: [nodeTypes] },
  };
  test.each(
    Object.entries(compilers).flatMap(([compiler, tsc]) =>
      Object.entries(modules).flatMap(([resolution, moduleOptions]) =>
        Object.entries(runtimes).map(([runtime, libraries]) => ({
          compiler,
          resolution,
          runtime,
          tsc,
          options: { ...moduleOptions, ...libraries },
        })),
      ),
    ),
  )(
    '$compiler with $resolution compiles it for $runtime, and the README’s examples',
    async ({ tsc, options }) => {
      const compilerOptions = {
        ...options,
        target: 'es2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      };
      const files = ['program.mts', 'program.cts', ...readmeExamples];
      await consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
      await consumer.run(process.execPath, [tsc, '-p', '.']);
    },
    30_000,
  );
});
