import { cp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Consumer, readExamples } from '@animal-store/testkit';
import { packageDirectory } from './package-directory.ts';

// The functions of this file compile programs as a user would, with the types of the packed client.
// `skipLibCheck` is off, so that errors in the client's own types are found.

const require = createRequire(import.meta.url);
/** The path of the compiler of TypeScript 7, which this workspace uses. */
export const typescript7 = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
const nodeTypes = dirname(require.resolve('@types/node/package.json'));
const undici = dirname(require.resolve('undici/package.json'));

// This program uses the parts of the client that the examples of the README do not use.
const program = `
  import {
    type CallOptions,
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

  export async function main(signal?: AbortSignal): Promise<Pet[]> {
    const { id }: Pet = await store.createPet(newPet, { signal, idempotencyKey: 'once' });
    // An animal that was read can be added again, but a literal has a known status.
    for (const pet of (await store.listPets()).pets) await store.createPet(pet);
    // @ts-expect-error there is no such status
    await store.createPet({ name: 'Mia', categoryId: 3, status: 'lost' });
    // @ts-expect-error there is no such status
    await store.listPets({ status: 'lost' });
    try {
      return [await store.getPet(id)];
    } catch (error) {
      if (error instanceof NotFoundError) error.status satisfies 404;
      // A code of tomorrow compiles.
      if (isApiError(error) && error.code === 'a_code_of_tomorrow') return [];
      throw error;
    }
  }
`;

/**
 * A program that compiles with the types of the language alone, without the types of the DOM or of
 * Node.
 */
const language = `
  import { type ApiError, createClient } from '@animal-store/client';
  import { createTestService } from '@animal-store/client/testing';

  // Whatever is inferred from a test service has a name in declarations (TS4023).
  export const service = createTestService();
  export const { clientOptions, pets, requests } = service;
  export const { fetch } = clientOptions;
  export const respond = (...args: Parameters<typeof fetch>) => fetch(...args);
  const store = createClient(clientOptions);
  export const names = async () => (await store.eachPet().toArray()).map(({ name }) => name);
  export const header = (error: ApiError): string | null => error.headers.get('Retry-After');
`;

/** A program that passes a `fetch` of undici, whose types differ from the global `fetch`. */
const proxy = `
  import { createClient } from '@animal-store/client';
  import { fetch, ProxyAgent } from 'undici';

  const dispatcher = new ProxyAgent('http://localhost:8080');
  export const viaProxy = createClient({ fetch: (url, init) => fetch(url, { ...init, dispatcher }) });
`;

/**
 * Installs undici and the types of Node as copies. Links would not work: the compiler would resolve
 * them in this workspace, where undici has the types of another version of Node.
 */
async function installTypes(consumer: Consumer, types: string[]): Promise<void> {
  const modules = join(consumer.path, 'node_modules');
  await cp(undici, join(modules, 'undici'), { recursive: true });
  for (const folder of types) {
    const manifest = await realpath(join(folder, 'package.json'));
    const undiciTypes = createRequire(manifest).resolve('undici-types/package.json');
    await rm(join(modules, '@types/node'), { recursive: true, force: true });
    await cp(dirname(manifest), join(modules, '@types/node'), { recursive: true });
    await cp(dirname(undiciTypes), join(modules, 'undici-types'), { recursive: true });
  }
}

// With `module: preserve`, TypeScript 5.4 refuses a `for await` at the top level.
const bundler = { module: 'esnext', moduleResolution: 'bundler' };

/** The compiler options for each kind of user: the module resolution, and the available types. */
export const compilations = {
  'the language alone': { ...bundler, lib: ['es2022'], types: [] },
  'a browser': { module: 'nodenext', lib: ['es2022', 'dom'], types: [] },
  // Some templates of bundlers still create projects with `lib: es2020`.
  'an older browser': { ...bundler, lib: ['es2020', 'dom', 'dom.iterable'], types: [] },
  Node: { module: 'node16', lib: ['es2022', 'esnext.disposable'], types: [nodeTypes] },
  'Node with the DOM': {
    ...{ module: 'nodenext', lib: ['es2022', 'esnext.disposable', 'dom'], types: [nodeTypes] },
  },
};

/**
 * Compiles the programs of this file and the examples of the README with the given options. If
 * Node's types are among the options, it also compiles the program with undici.
 */
export async function compileConsumer(
  consumer: Consumer,
  tsc: string,
  options: { lib: string[]; types: string[] },
): Promise<void> {
  const examples = (await readExamples(packageDirectory)).map((code, index) => [
    `readme-${index}.mts`,
    code,
  ]);
  // Without the types of the DOM and of Node, TypeScript knows no global `fetch` and no `console`.
  // So only the program that uses neither is compiled with these options.
  const programs: Record<string, string> =
    options.lib.length === 1
      ? { 'language.mts': language }
      : { 'program.mts': program, 'program.cts': program, ...Object.fromEntries(examples) };
  if (options.types.length > 0) {
    programs['proxy.mts'] = proxy;
    await installTypes(consumer, options.types);
  }
  for (const [file, text] of Object.entries(programs)) await consumer.write(file, text);
  const compilerOptions = {
    ...options,
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    declaration: true,
    types: options.types.map(() => 'node'),
  };
  await consumer.write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions, files: Object.keys(programs) }),
  );
  // The compiler uses a single thread, because each further thread would check the same libraries
  // again.
  const singleThreaded = tsc === typescript7 ? ['--singleThreaded'] : [];
  await consumer.run(process.execPath, [tsc, '-p', '.', ...singleThreaded]);
}
