import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tools } from '@animal-store/heavy-tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { typescript7 } from '../../../client/test/compile-consumer.ts';
import { documents } from '../openapi-documents.ts';

const execute = promisify(execFile);

/** What generators of TypeScript make of a document, and a program that uses it. */
const generators = {
  'openapi-typescript': {
    command: [tools.openapiTypescript, 'openapi.json', '--output', 'generated.ts'],
    program: `import type { components } from './generated';
      type Pet = components['schemas']['Pet'];
      const list = async (): Promise<Pet[]> => (await fetch('https://store.example')).json();`,
  },
  'hey-api': {
    command: [
      tools.heyApi,
      ...['-i', 'openapi.json', '-o', 'generated'],
      ...['-p', '@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod'],
    ],
    program: `import type { Pet } from './generated';
      import { listPets } from './generated';
      import { zPets } from './generated/zod.gen';
      const list = async () => zPets.parse((await listPets({ query: { limit: 5 } })).data);`,
  },
  oazapfts: {
    command: [tools.oazapfts, 'openapi.json', 'generated.ts'],
    program: `import { listPets, type Pet } from './generated';
      const list = async () => (await listPets({ limit: 5 })).data as Pet[];`,
  },
  orval: {
    command: [
      tools.orval,
      ...'--input openapi.json --output generated.ts --client fetch'.split(' '),
    ],
    program: `import { listPets, type Pet } from './generated';
      const list = async () => (await listPets({ limit: 5 })).data as Pet[];`,
  },
  'swagger-typescript-api': {
    command: [
      tools.swaggerTypescriptApi,
      ...'generate -p openapi.json -o . -n generated.ts'.split(' '),
    ],
    program: `import { Api, type Pet } from './generated';
      const list = async () => (await new Api().pets.listPets({ limit: 5 })).data;`,
  },
};

/** An animal as the service may send it one day. */
const sent = { id: 1, name: 'Mia', categoryId: 3, status: 'reserved' };

const uses = `
  export function check(pet: Pet) {
    pet.name satisfies string;
    pet.status satisfies string | undefined;
    // @ts-expect-error there is no such member, so the type is not any
    pet.color;
  }
  globalThis.fetch = async () => Response.json([${JSON.stringify(sent)}]);
  list().then((pets) => console.log(pets[0]?.status));`;

/** Runs the program of a folder, and gives what it prints. */
async function call(folder: string): Promise<string> {
  const { build } = await import(tools.esbuild);
  const entryPoints = [join(folder, 'program.ts')];
  const outfile = join(folder, 'program.mjs');
  await build({ entryPoints, outfile, bundle: true, format: 'esm', logLevel: 'error' });
  return (await execute(process.execPath, [outfile])).stdout;
}

async function generate(document: (typeof documents)[number], command: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-generated-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'openapi.json'), document.text);
  // What generated clients import.
  await mkdir(join(folder, 'node_modules/@oazapfts'), { recursive: true });
  const zod = join(import.meta.dirname, '../../node_modules/zod');
  await symlink(zod, join(folder, 'node_modules/zod'));
  await symlink(tools.oazapftsRuntime, join(folder, 'node_modules/@oazapfts/runtime'));
  await execute(process.execPath, command, { cwd: folder });
  return folder;
}

async function compile(folder: string, tsc: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    module: 'preserve',
    moduleResolution: 'bundler',
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const run = execute(process.execPath, [tsc, '-p', '.'], { cwd: folder });
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

describe.each(documents)('$name', (document) => {
  test.each(Object.entries(generators))('%s compiles it', async (_name, { command, program }) => {
    const folder = await generate(document, command);
    if (document.name === 'openapi.json')
      await writeFile(join(folder, 'program.ts'), program + uses);
    expect(await compile(folder, tools.typescript54)).toBe('');
    expect(await compile(folder, typescript7)).toBe('');
    if (document.name === 'openapi.json') expect(await call(folder)).toBe(`${sent.status}\n`);
  });
});
