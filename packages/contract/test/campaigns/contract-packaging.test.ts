import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimes, tools } from '@animal-store/heavy-tools';
import { type Consumer, createConsumer, runIn } from '@animal-store/testkit';
import { publint } from 'publint';
import { beforeAll, expect, test } from 'vitest';

// These tests use the package as its users do. They pack it, and install it together with its two
// peer dependencies.

const packageDirectory = join(import.meta.dirname, '../..');

let consumer: Consumer;

beforeAll(async () => {
  await runIn(packageDirectory, join(packageDirectory, '../../node_modules/.bin/pnpm'), [
    'run',
    'build',
  ]);
  consumer = await createConsumer(packageDirectory, ['zod', '@ts-rest/core']);
  return consumer[Symbol.asyncDispose];
});

test('Node 20 loads the packed contract with import and with require', async () => {
  const uses = `console.log(
    adminContract.listKeys.path,
    createOpenApi().openapi,
    stringifyJson({ id: NewPet.parse({ name: 'Mia', categoryId: 2n ** 63n - 1n }).categoryId }),
  );`;
  const imports = `
    import { NewPet, stringifyJson } from '@animal-store/contract';
    import { adminContract } from '@animal-store/contract/admin';
    import { createOpenApi } from '@animal-store/contract/openapi';`;
  const requires = imports.replaceAll(/import (.*) from (.*);/g, 'const $1 = require($2);');
  await consumer.write('run.mjs', imports + uses);
  const document = "require('@animal-store/contract/openapi.json');";
  await consumer.write('run.cjs', requires + document + uses);
  for (const file of ['run.mjs', 'run.cjs'])
    expect(await consumer.run(runtimes['Node 20'], [file]), file).toBe(
      '/keys 3.1.1 {"id":9223372036854775807}\n',
    );
});

// This program uses the parts of the package that the example of the README does not use.
const program = `
  import type { ErrorCode } from '@animal-store/contract';
  import { adminContract, type Key } from '@animal-store/contract/admin';
  import { createOpenApi } from '@animal-store/contract/openapi';

  // @ts-expect-error there is no such code
  export const noCode: ErrorCode = 'dog_not_found';
  export const path: '/keys' = adminContract.listKeys.path;
  export const id = (key: Key): string => key.id;
  export const document: object = createOpenApi({ origin: 'https://api.example.com' });
`;

test.each([
  ['nodenext', { module: 'nodenext' }],
  ['bundler', { module: 'preserve', moduleResolution: 'bundler' }],
  // The module resolution `node10` ignores `exports`. It finds the subpaths through
  // `typesVersions`.
  ['node10', { module: 'es2022', moduleResolution: 'node10' }],
])(
  'TypeScript 5.9 compiles the README example and another program with the packed contract and the module resolution %s',
  async (_name, options) => {
    const text = await readFile(join(packageDirectory, 'README.md'), 'utf8');
    const [, example] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? [];
    // The compiler does not load the types of Node, so the example needs a declaration of
    // `process`.
    const readme = `declare const process: { env: { ANIMAL_STORE_API_KEY: string } };
    ${example}
    // @ts-expect-error there is no such status
    added.status === 418;`;
    const files = { 'program.mts': program, 'program.cts': program, 'readme.mts': readme };
    for (const [file, text] of Object.entries(files)) await consumer.write(file, text);
    const compilerOptions = {
      ...{ lib: ['es2022', 'dom'], target: 'es2022', types: [], noEmit: true },
      // The type declarations of ts-rest contain errors, so `skipLibCheck` is on.
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
      ...options,
    };
    const config = { compilerOptions, files: Object.keys(files) };
    await consumer.write('tsconfig.json', JSON.stringify(config));
    expect(await consumer.run(process.execPath, [tools.typescript59, '-p', '.'])).toBe('');
  },
);

test('the tools publint and "Are the Types Wrong" find no problem in the packed contract', async () => {
  const tarball = new Uint8Array(consumer.tarball).buffer;
  expect((await publint({ pack: { tarball } })).messages).toEqual([]);
  const { checkPackage, createPackageFromTarballData } = await import(tools.areTheTypesWrong);
  const result = await checkPackage(createPackageFromTarballData(consumer.tarball));
  // The findings about the module resolution `node10` are left out, because `node10` ignores
  // `exports`.
  const problems = (result.problems as { resolutionKind?: string }[]).filter(
    ({ resolutionKind }) => resolutionKind !== 'node10',
  );
  expect(problems).toEqual([]);
});

test('the manifest of the packed contract lists zod and ts-rest as peer dependencies with version ranges', async () => {
  const file = join(consumer.path, 'node_modules/@animal-store/contract/package.json');
  const { dependencies, peerDependencies } = JSON.parse(await readFile(file, 'utf8'));
  expect({ dependencies, peerDependencies }).toEqual({
    peerDependencies: {
      '@ts-rest/core': expect.stringMatching(/^\^3\.\d/),
      zod: expect.stringMatching(/^\^4\.\d/),
    },
  });
});
