import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimes, tools } from '@animal-store/heavy-tools';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typescript7 } from '../../../client/test/compile-consumer.ts';
import { type Consumer, createConsumer, runIn } from '../../../client/test/consumer.ts';
import { adminContract, createAdminOpenApi } from '../../src/admin/index.ts';

// The package as its users get it: packed, and installed beside the two packages that it depends on.

const packageDirectory = join(import.meta.dirname, '../..');
const operations = Object.keys(adminContract).length;
const paths = Object.keys(createAdminOpenApi()['paths'] as object).length;

let consumer: Consumer;

beforeAll(async () => {
  await runIn(packageDirectory, process.execPath, ['build-contract.ts']);
  consumer = await createConsumer(packageDirectory, ['zod', '@ts-rest/core']);
  await consumer.write('program.mts', program);
  await consumer.write('program.cts', program);
  await consumer.write('readme.mts', await readmeExample());
  await consumer.write('run.mjs', esm);
  await consumer.write('run.cjs', cjs);
});

afterAll(() => consumer[Symbol.asyncDispose]());

/** The first program of the README, for a compiler that does not have Node's types. */
async function readmeExample(): Promise<string> {
  const readme = await readFile(join(packageDirectory, 'README.md'), 'utf8');
  const [, example] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  if (example === undefined) throw new Error('The README has no program.');
  return `declare const process: { env: { API_KEY: string } };\n${example}`;
}

const esm = `
  import { contract, NewPet, routes, stringifyJson } from '@animal-store/contract';
  import { adminContract, createAdminOpenApi } from '@animal-store/contract/admin';
  import { createOpenApi } from '@animal-store/contract/openapi';
  console.log(
    routes.listPets.path,
    Object.keys(contract).length,
    NewPet.parse({ name: 'Mia', categoryId: 9007199254740993n }).categoryId,
    Object.keys(adminContract).length,
    createOpenApi().openapi,
    stringifyJson({ id: 2n ** 63n - 1n }),
    Object.keys(createAdminOpenApi().paths).length,
  );`;

const cjs = `
  const { contract, Pet } = require('@animal-store/contract');
  const { adminContract } = require('@animal-store/contract/admin');
  const { createOpenApi } = require('@animal-store/contract/openapi');
  const document = require('@animal-store/contract/openapi.json');
  console.log(
    contract.getPet.path,
    Pet.safeParse({}).success,
    Object.keys(adminContract).length,
    createOpenApi().openapi === document.openapi,
  );`;

describe.each([
  ['this Node', process.execPath],
  ['Node 20', runtimes['Node 20']],
])('%s', (_name, node) => {
  test('imports the package', async () => {
    expect(await consumer.run(node, ['run.mjs'])).toBe(
      `/pets 3 9007199254740993n ${operations} 3.1.1 {"id":9223372036854775807} ${paths}\n`,
    );
  });

  test('requires the package', async () => {
    expect(await consumer.run(node, ['run.cjs'])).toBe(`/pets/:petId false ${operations} true\n`);
  });
});

const program = `
  import {
    contract,
    type ErrorCode,
    exactBody,
    exactJsonApi,
    type NewPet,
    Pet,
  } from '@animal-store/contract';
  import { adminContract, type Key } from '@animal-store/contract/admin';
  import { createOpenApi } from '@animal-store/contract/openapi';
  import { initClient } from '@ts-rest/core';

  const client = initClient(contract, {
    baseUrl: 'http://127.0.0.1:3000/v1',
    baseHeaders: { Authorization: 'Bearer key' },
    api: exactJsonApi,
  });
  const newPet: NewPet = { name: 'Mia', categoryId: 9007199254740993n };

  export async function add(): Promise<Pet | string> {
    const answer = await client.createPet({
      headers: { 'idempotency-key': 'once' },
      body: exactBody(newPet),
    });
    if (answer.status === 201) return answer.body;
    // @ts-expect-error there is no such status
    answer.status === 418;
    // @ts-expect-error the body of a failure is an Error
    answer.body.id;
    return answer.body.code;
  }
  export const code: ErrorCode = 'pet_not_found';
  // @ts-expect-error there is no such code
  export const noCode: ErrorCode = 'dog_not_found';
  export const path: '/keys' = adminContract.listKeys.path;
  export const id = (key: Key): string => key.id;
  export const pet: Pet = Pet.parse({});
  export const document: object = createOpenApi({ origin: 'https://api.example.com' });
`;

const modules = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
};
const compilers = { 'TypeScript 5.9': tools.typescript59, 'TypeScript 7': typescript7 };

describe.each(Object.entries(compilers))('%s', (_name, tsc) => {
  const compile = async (options: object) => {
    const compilerOptions = {
      lib: ['es2022', 'dom'],
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
      ...options,
    };
    const files = ['program.mts', 'program.cts', 'readme.mts'];
    await consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
    return consumer.run(process.execPath, [tsc, '-p', '.']);
  };

  test.each(Object.entries(modules))('compiles a user of it with %s', async (_name, options) => {
    expect(await compile({ ...options, skipLibCheck: true })).toBe('');
  });

  test('without skipLibCheck finds faults in the types of ts-rest alone', async () => {
    const failure = await compile({ ...modules.nodenext, skipLibCheck: false }).catch(
      (error: Error) => error,
    );
    const faults = String(failure).match(/^[^\s].*error TS\d+/gm) ?? [];
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter((fault) => !fault.includes('/@ts-rest/core/'))).toEqual([]);
  });
});

test('publint finds nothing', async () => {
  const tarball = new Uint8Array(consumer.tarball).buffer;
  const { messages } = await publint({ pack: { tarball } });
  expect(messages).toEqual([]);
});

test('the types resolve wherever exports are supported', async () => {
  const { checkPackage, createPackageFromTarballData } = await import(tools.areTheTypesWrong);
  const result = await checkPackage(createPackageFromTarballData(consumer.tarball));
  // `node10` knows no exports, so it finds only the main entry.
  const problems = (result.problems as { resolutionKind?: string }[]).filter(
    ({ resolutionKind }) => resolutionKind !== 'node10',
  );
  expect(problems).toEqual([]);
});

test('the manifest names real versions, and shares zod and ts-rest with its user', async () => {
  const file = join(consumer.path, 'node_modules/@animal-store/contract/package.json');
  const text = await readFile(file, 'utf8');
  expect(text).not.toMatch(/"(catalog|workspace):/);
  const manifest = JSON.parse(text) as Record<string, Record<string, string>>;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest['peerDependencies']).toEqual({
    '@ts-rest/core': expect.stringMatching(/^\^3\.\d/),
    zod: expect.stringMatching(/^\^4\.\d/),
  });
});
