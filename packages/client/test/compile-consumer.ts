import { cp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Consumer } from './consumer.ts';
import { readExamples } from './readme.ts';

// Compiles what a user writes, with the types of the packed client and nothing skipped.

const require = createRequire(import.meta.url);
/** The command of the workspace's TypeScript. */
export const typescript7 = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
const nodeTypes = dirname(require.resolve('@types/node/package.json'));
const undici = dirname(require.resolve('undici/package.json'));

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

/** What compiles with no library but the language's. */
const language = `
  import { type ApiError, createClient } from '@animal-store/client';
  import { createTestService } from '@animal-store/client/testing';

  const store = createClient(createTestService().clientOptions);
  export const names = async () => (await store.eachPet().toArray()).map(({ name }) => name);
  export const header = (error: ApiError): string | null => error.headers.get('Retry-After');
`;

/** A `fetch` of another library, whose types differ from those of the global one. */
const proxy = `
  import { createClient } from '@animal-store/client';
  import { Agent, fetch, ProxyAgent } from 'undici';

  export const direct = createClient({ fetch });
  const dispatcher = new ProxyAgent('http://localhost:8080');
  export const viaProxy = createClient({ fetch: (url, init) => fetch(url, { ...init, dispatcher }) });
  export const sixConnections = new Agent({ connections: 6 });
`;

/**
 * Installs undici and Node's types as copies: as links they would be resolved in this workspace, where
 * undici finds Node's types of another version.
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

/** How a user's module is resolved. */
const modules = {
  node16: { module: 'node16' },
  nodenext: { module: 'nodenext' },
  // Not `preserve`: with it TypeScript 5.4 refuses a top-level `for await`.
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};
/** What is there besides the language. */
const runtimes = {
  'the language alone': { lib: ['es2022'], types: [] },
  'a browser': { lib: ['es2022', 'dom'], types: [] },
  // What bundlers' templates still begin with.
  'an older browser': { lib: ['es2020', 'dom', 'dom.iterable'], types: [] },
  Node: { lib: ['es2022', 'esnext.disposable'], types: [nodeTypes] },
  'Node with the DOM': { lib: ['es2022', 'esnext.disposable', 'dom'], types: [nodeTypes] },
};

/** Every combination of module resolution and runtime, for `test.each`. */
export const compilations = Object.entries(modules).flatMap(([resolution, moduleOptions]) =>
  Object.entries(runtimes).map(([runtime, options]) => ({
    resolution,
    runtime,
    options: { ...moduleOptions, ...options },
  })),
);

/** Of these the fewest that have every module resolution and every runtime. */
export const fewCompilations = compilations.filter(
  (_, index) => (index % 5) % 3 === Math.floor(index / 5),
);

/** Those for Node, with other types of it. */
export const compilationsWith = (types: string) =>
  compilations
    .filter(({ options }) => options.types.length > 0)
    .map((it) => ({ ...it, options: { ...it.options, types: [types] } }));

/** Compiles a program, the examples of the README and, where there are Node's types, undici's. */
export async function compileConsumer(
  consumer: Consumer,
  tsc: string,
  options: { lib: string[]; types: string[] },
): Promise<void> {
  const files = ['program.mts', 'program.cts'];
  for (const file of files) await consumer.write(file, program);
  for (const [index, code] of (await readExamples()).entries()) {
    files.push(`readme-${index}.mts`);
    await consumer.write(`readme-${index}.mts`, code);
  }
  if (options.types.length > 0) {
    files.push('proxy.mts');
    await consumer.write('proxy.mts', proxy);
    await installTypes(consumer, options.types);
  }
  if (options.lib.length === 1) {
    // There is no global `fetch`, no `console`: what needs neither compiles.
    files.splice(0, Number.POSITIVE_INFINITY, 'language.mts');
    await consumer.write('language.mts', language);
  }
  const compilerOptions = {
    ...options,
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    types: options.types.map(() => 'node'),
  };
  await consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  // Its threads check the same libraries, each for itself.
  const singleThreaded = tsc === typescript7 ? ['--singleThreaded'] : [];
  await consumer.run(process.execPath, [tsc, '-p', '.', ...singleThreaded]);
}
