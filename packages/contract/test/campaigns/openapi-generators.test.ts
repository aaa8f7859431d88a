import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { tools } from '@animal-store/heavy-tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { documents } from '../openapi-documents.ts';

const execute = promisify(execFile);
const require = createRequire(import.meta.url);
const typescript7 = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');

/** What generators of TypeScript make of a document, and a program that uses it. */
const generators = {
  'openapi-typescript': {
    command: [tools.openapiTypescript, 'openapi.json', '--output', 'generated.ts'],
    program: `import type { components } from './generated';
      type Pet = components['schemas']['Pet'];`,
  },
  'hey-api': {
    command: [tools.heyApi, '-i', 'openapi.json', '-o', 'generated', '-c', '@hey-api/client-fetch'],
    program: `import type { Pet } from './generated';
      import { listPets } from './generated';
      export const call = listPets({ query: { limit: 5 } });`,
  },
  'swagger-typescript-api': {
    command: [
      tools.swaggerTypescriptApi,
      'generate',
      '-p',
      'openapi.json',
      '-o',
      '.',
      '-n',
      'generated.ts',
    ],
    program: `import { Api, type Pet } from './generated';
      export const call = new Api().pets.listPets({ limit: 5 });`,
  },
};

const uses = `
  declare const pet: Pet;
  pet.id satisfies number;
  pet.status satisfies 'available' | 'pending' | 'sold' | undefined;
  // @ts-expect-error there is no such member, so the type is not any
  pet.color;`;

async function generate(document: (typeof documents)[number], command: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-generated-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'openapi.json'), document.text);
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
  });
});
