import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tools } from '@animal-store/heavy-tools';
import { runIn } from '@animal-store/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documents, publicDocument } from '../conformance/open-api-documents.ts';

/** The generators of TypeScript clients, each with a program that uses its output. */
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
  orval: {
    command: [
      tools.orval,
      ...'--input openapi.json --output generated.ts --client fetch'.split(' '),
    ],
    program: `import { listPets, type Pet } from './generated';
      const list = async () => (await listPets({ limit: 5 })).data as Pet[];`,
  },
};

/**
 * An animal whose status is unknown to this version of the contract. A later version of the service
 * may send such an animal.
 */
const sent = { id: 1, name: 'Mia', categoryId: 3, status: 'reserved' };

const uses = `
  export function check(pet: Pet) {
    pet.name satisfies string;
    pet.status satisfies string | undefined;
    // @ts-expect-error there is no such property, so the type is not any
    pet.color;
  }
  globalThis.fetch = async () => Response.json([${JSON.stringify(sent)}]);
  list().then((pets) => console.log(pets[0]?.status));`;

test.each(
  documents.flatMap(({ name, text }) =>
    Object.entries(generators).map(([generator, it]) => ({ generator, name, text, ...it })),
  ),
)(
  'the client that $generator generates from $name compiles and lists animals',
  async ({ name, text, command, program }) => {
    const cwd = await mkdtemp(join(tmpdir(), 'animal-store-generated-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    await writeFile(join(cwd, 'openapi.json'), text);
    // The generated clients import zod, so zod is linked into the temporary folder.
    await mkdir(join(cwd, 'node_modules'));
    const zod = join(import.meta.dirname, '../../node_modules/zod');
    await symlink(zod, join(cwd, 'node_modules/zod'));
    await runIn(cwd, process.execPath, command);

    const isPublic = name === publicDocument.name;
    if (isPublic) await writeFile(join(cwd, 'program.ts'), program + uses);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
      ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
      ...{ module: 'preserve', moduleResolution: 'bundler' },
    };
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await runIn(cwd, process.execPath, [tools.typescript54, '-p', '.']);
    if (!isPublic) return;
    const { build } = await import(tools.esbuild);
    const [source, bundle] = [join(cwd, 'program.ts'), join(cwd, 'program.mjs')];
    await build({ entryPoints: [source], outfile: bundle, bundle: true, format: 'esm' });
    expect(await runIn(cwd, process.execPath, [bundle])).toBe(`${sent.status}\n`);
  },
);
