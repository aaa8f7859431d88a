import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The package as its users get it: packed, installed into an empty folder, imported from there.

const packageDirectory = join(import.meta.dirname, '..');
const dist = join(packageDirectory, 'dist');
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
const nodeTypes = dirname(require.resolve('@types/node/package.json'));

const consumer = mkdtempSync(join(tmpdir(), 'animal-store-consumer-'));

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
  'isApiError',
];

beforeAll(() => {
  if (!existsSync(dist)) {
    throw new Error('dist is missing; build it: pnpm --filter @animal-store/client build');
  }
  const packed = run('npm', ['pack', '--json', '--pack-destination', consumer], packageDirectory);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  write('package.json', '{ "private": true }');
  // Offline, so that a dependency would fail the test instead of being fetched.
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(consumer, filename)]);
}, 60_000);

afterAll(() => rmSync(consumer, { recursive: true }));

/** Runs a command in the consumer's folder; a failure shows all that it printed. */
function run(command: string, args: string[], cwd = consumer): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(consumer, path)), { recursive: true });
  writeFileSync(join(consumer, path), text);
}

test('nothing in dist names what a user does not have', () => {
  const files = readdirSync(dist).sort();
  expect(files).toEqual(['index.cjs', 'index.d.cts', 'index.d.ts', 'index.js']);
  for (const file of files) {
    expect(readFileSync(join(dist, file), 'utf8'), file).not.toMatch(
      /zod|ts-rest|@animal-store\/contract|\bany\b(?=[;,)>[\]])/,
    );
  }
});

test('the package holds its build, its manifest and its README, and depends on nothing', () => {
  const installed = join(consumer, 'node_modules/@animal-store/client');
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json']);
  expect(readdirSync(join(consumer, 'node_modules')).sort()).toEqual([
    '.package-lock.json',
    '@animal-store',
  ]);
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
});

test('an ES module imports it', () => {
  write(
    'run.mjs',
    `import * as client from '@animal-store/client';
     console.log(JSON.stringify(Object.keys(client)));`,
  );
  expect(JSON.parse(run(process.execPath, ['run.mjs']))).toEqual(names);
});

test('a CommonJS module requires it', () => {
  write(
    'run.cjs',
    `const { createClient, ...rest } = require('@animal-store/client');
     const store = createClient({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'key' });
     store.listPets({}, { maxRetries: 0 }).catch((error) => {
       if (!(error instanceof rest.ConnectionError)) throw error;
       console.log(JSON.stringify(['createClient', ...Object.keys(rest)].sort()));
     });`,
  );
  expect(JSON.parse(run(process.execPath, ['run.cjs']))).toEqual(names);
});

describe('TypeScript', () => {
  const program = `
    import { createClient, NotFoundError, type NewPet, type Pet } from '@animal-store/client';

    const store = createClient({ baseUrl: 'http://localhost:3000/v1', apiKey: 'key', fetch });
    const newPet: NewPet = { name: 'Mia', categoryId: 9007199254740993n };

    export async function main(signal?: AbortSignal): Promise<Pet[]> {
      const { id }: Pet = await store.createPet(newPet, { signal, idempotencyKey: 'once' });
      // @ts-expect-error there is no such status
      await store.listPets({ status: 'lost' });
      try {
        return [await store.getPet(id)];
      } catch (error) {
        if (error instanceof NotFoundError) error.status satisfies 404;
        throw error;
      }
    }
  `;

  beforeAll(() => {
    write('program.mts', program);
    write('program.cts', program);
    const examples = readFileSync(join(packageDirectory, 'README.md'), 'utf8').matchAll(
      /^```ts\n(.*?)^```$/gms,
    );
    for (const [index, [, code = '']] of [...examples].entries())
      write(`readme-${index}.mts`, code);
    expect(existsSync(join(consumer, 'readme-1.mts'))).toBe(true);
  });

  const modules = {
    nodenext: { module: 'nodenext' },
    bundler: { module: 'preserve', moduleResolution: 'bundler' },
  };
  const runtimes = {
    'a browser': { lib: ['es2022', 'dom'], types: [] },
    Node: { lib: ['es2022'], types: [nodeTypes] },
  };
  test.each(
    Object.entries(modules).flatMap(([resolution, moduleOptions]) =>
      Object.entries(runtimes).map(
        ([runtime, libraries]) =>
          [resolution, runtime, { ...moduleOptions, ...libraries }] as const,
      ),
    ),
  )(
    '%s compiles it for %s, and the README’s examples',
    (_resolution, _runtime, options) => {
      const compilerOptions = {
        ...options,
        target: 'es2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      };
      const files = ['program.mts', 'program.cts', 'readme-0.mts', 'readme-1.mts'];
      write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
      run(process.execPath, [tsc, '-p', '.']);
    },
    30_000,
  );
});
