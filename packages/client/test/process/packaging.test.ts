import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '@animal-store/testkit';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as client from '../../src/index.ts';
import { clientReference } from '../client-reference.ts';
import { compileConsumer, fewCompilations, typescript7 } from '../compile-consumer.ts';
import { type Consumer, createConsumer, packageDirectory, runIn } from '../consumer.ts';
import { expectSmallBundle } from '../expect-small-bundle.ts';
import { readExamples } from '../readme.ts';

// The package as its users get it: packed, installed into an empty folder, imported from there.

const dist = join(packageDirectory, 'dist');

let consumer: Consumer;
/** What installing it adds. */
let modules: string[];

const filesOf = async (folder: string) => (await readdir(folder)).sort();

/** What it exports; `src/index.ts` lists the names. */
const names = Object.keys(client).sort();

beforeAll(async () => {
  consumer = await createConsumer();
  modules = await filesOf(join(consumer.path, 'node_modules'));
});

afterAll(() => consumer[Symbol.asyncDispose]());

test('it holds its build, manifest, README and licence, and depends on nothing', async () => {
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

test('nothing in it names what a user does not have, and its source maps hold every source', async () => {
  for (const file of await readdir(dist)) {
    const text = await readFile(join(dist, file), 'utf8');
    if (file.endsWith('.map')) {
      const map = JSON.parse(text) as { sources: string[]; sourcesContent: (string | null)[] };
      expect(map.sourcesContent).toHaveLength(map.sources.length);
      expect(map.sourcesContent).not.toContain(null);
    } else {
      expect(text, file).not.toMatch(/zod|ts-rest|@animal-store\/contract|\bany\b(?=[;,)>[\]])/);
    }
  }
});

describe('its documentation', () => {
  let lines: string[];
  beforeAll(async () => {
    const read = (entry: string) => readFile(join(dist, `${entry}.d.ts`), 'utf8');
    lines = `${await read('index')}${await read('testing')}`.split('\n');
  });
  /** The comment before a declaration, which an editor shows. */
  const commentBefore = (index: number) => {
    const before = lines.slice(0, index);
    if (!before.at(-1)?.endsWith('*/')) return undefined;
    return before.slice(before.findLastIndex((line) => line.includes('/**'))).join('\n');
  };

  test('has a comment for every public declaration and member', () => {
    const declaration =
      /^(?:declare (?:class|function|const)|interface|type| {2}(?:readonly |static )*["\w]+\??[(<:]) ?/;
    // Members of an interface or a class; what is in a type or a constant is described with it.
    let isMember = false;
    let found = 0;
    const without = lines.filter((line, index) => {
      if (/^\w/.test(line)) isMember = /^(?:interface|declare class)/.test(line);
      if (!declaration.test(line) || /^ {2}constructor/.test(line)) return false;
      found += 1;
      return (isMember || !line.startsWith(' ')) && commentBefore(index) === undefined;
    });
    expect(found).toBeGreaterThan(100);
    expect(without).toEqual([]);
  });

  test('is in /docs, up to date', async () => {
    for (const [file, text] of Object.entries(await clientReference())) {
      expect(
        (await readFile(file, 'utf8').catch(() => '')) === text,
        `${file} is stale. Write it again: npm --prefix packages/client run reference`,
      ).toBe(true);
    }
  });

  test('has an example for every class, function and method', () => {
    const methods =
      'listPets|eachPet|createPet|getPet|rateLimit|request|withOptions|withResponse|failNext|toArray|pages';
    const shown = new RegExp(`^(?:declare (?:class|function) | {2}(?:${methods})[(<])`);
    const found = lines.flatMap((line, index) => (shown.test(line) ? index : []));
    expect(found.length).toBeGreaterThan(25);
    const without = found.filter((index) => !commentBefore(index)?.includes('@example'));
    // Two that JSON explains, and the second overload of a function that has one.
    const names = without.map((index) => /function (\w+)/.exec(lines[index] ?? '')?.[1]);
    expect(names.sort()).toEqual(['isApiError', 'parseJson', 'stringifyJson']);
  });
});

test('the commands of /docs/guides/typescript are those by which it was installed here', async () => {
  const guide = 'apps/server/assets/reference/guides/typescript.md';
  const text = await readFile(join(packageDirectory, '../..', guide), 'utf8');
  expect(text.match(/^npm .*/gm)).toEqual([
    'npm run tarballs',
    'npm install ../animal-store/release/animal-store-client.tgz',
  ]);
});

test('npm refuses to pack it, because only pnpm writes a manifest that can be installed', async () => {
  const packing = runIn(packageDirectory, 'npm', ['pack', '--dry-run']);
  await expect(packing).rejects.toThrow('Pack it with pnpm: npm exec pnpm pack');
});

test('it is not released from a repository that its manifest does not name', async () => {
  const release = runIn(join(packageDirectory, '../..'), process.execPath, [
    'scripts/check-release.mjs',
  ]);
  await expect(release).rejects.toThrow(/repository is \S+, but this is /);
});

test('ES modules and CommonJS modules load it, and know the errors of one another', async () => {
  await consumer.write(
    'both.mjs',
    `import { createRequire } from 'node:module';
     import * as esm from '@animal-store/client';
     const cjs = createRequire(import.meta.url)('@animal-store/client');
     const fetch = async () => new Response('{}', { status: 429 });
     const store = cjs.createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'key', fetch, maxRetries: 0 });
     const error = await store.listPets().catch((reason) => reason);
     const known = [error instanceof esm.ApiError, esm.isApiError(error), esm.isApiError(error, 429)];
     console.log(JSON.stringify([Object.keys(esm), Object.keys(cjs).sort(), known]));`,
  );
  const output = await consumer.run(process.execPath, ['both.mjs']);
  expect(JSON.parse(output)).toEqual([names, names, [false, true, true]]);
});

test('@animal-store/client/testing is imported and required, and works with the client', async () => {
  await consumer.write(
    'testing.mjs',
    `import { createRequire } from 'node:module';
     import { createClient } from '@animal-store/client';
     import { createTestService } from '@animal-store/client/testing';
     const cjs = createRequire(import.meta.url)('@animal-store/client/testing');
     for (const create of [createTestService, cjs.createTestService]) {
       const service = create({ pets: [{ name: 'Mia', categoryId: 3 }] });
       console.log((await createClient(service.clientOptions).listPets()).pets[0].name);
     }`,
  );
  expect(await consumer.run(process.execPath, ['testing.mjs'])).toBe('Mia\nMia\n');
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
test('all of it takes at most 6.5 kB in a bundle of rolldown', async () => {
  await using bundle = await rolldown({ input: join(packageDirectory, 'dist/index.js') });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expectSmallBundle(output[0].code, 6_500);
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

test('the examples of the README run as they stand', async () => {
  await using service = await startServer();
  const examples = await readExamples();
  const files = examples.map((_, index) => `example-${index}.mts`);
  for (const [index, code] of examples.entries()) {
    const program = code
      .replaceAll("'http://127.0.0.1:3000/v1'", JSON.stringify(service.baseUrl))
      .replaceAll("'ast_your_key'", JSON.stringify(service.demoKey));
    await consumer.write(`example-${index}.mts`, program);
  }
  // One after another, in one process: most of an example is its start.
  const imports = files.map(
    (file) => `await import('./${file}');console.log('end of an example');`,
  );
  await consumer.write('examples.mjs', imports.join('\n'));
  const output = await consumer.run(process.execPath, ['examples.mjs']);
  expect(output.split('end of an example\n')).toEqual([
    ...outputs.map((expected) => expect.stringMatching(expected)),
    '',
  ]);
});
