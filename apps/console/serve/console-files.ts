import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { libraryNames, readLibraries } from './console-libraries.ts';
import { consolePage } from './console-page.ts';
import { stripTypes } from './strip-types.ts';

const gzip = promisify(gzipWithCallback);

/** A file of the console. */
export interface ConsoleFile {
  readonly type: string;
  /** The content, as gzip in one member. */
  readonly gzipped: Buffer;
  /** Whether the path contains a hash of the content, so that caches need not revalidate. */
  readonly immutable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the console is. */
const consolePath = '/console';

const sourceFolder = fileURLToPath(new URL('../src/', import.meta.url));

/** Modules keep their names, so that their imports of each other hold as they are. */
const types: Readonly<Record<string, string>> = {
  ts: 'text/javascript; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

interface Source {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Creates all files of the console, by path. The first that is asked for has all of them made: a service
 * whose console nobody opens does not have the work.
 */
export function createConsoleFiles(): Map<string, () => Promise<ConsoleFile>> {
  const sources = [...readSources(), ...readLibraries()];
  const hash = createHash('sha256');
  for (const { name, bytes } of sources) hash.update(`${name}\n${bytes.length}\n`).update(bytes);
  // One hash for all: modules name each other, so a change of one must give the others new paths.
  const folder = `${consolePath}/${hash.digest('base64url').slice(0, 12)}/`;
  let loading: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

  async function load(path: string): Promise<ConsoleFile> {
    loading ??= createFiles(folder, sources).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const file = (await loading).get(path);
    if (file === undefined) throw new Error(`The console has no file ${path}.`);
    return file;
  }

  const paths = [consolePath, ...sources.map(({ name }) => folder + name)];
  return new Map(paths.map((path) => [path, () => load(path)]));
}

function readSources(): Source[] {
  return readdirSync(sourceFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.(ts|css|svg)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => ({
      name: path.slice(sourceFolder.length).replaceAll('\\', '/'),
      bytes: readFileSync(path),
    }));
}

async function createFiles(
  folder: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, ConsoleFile>> {
  const typed = sources.filter(({ name }) => name.endsWith('.ts'));
  const scripts = await stripTypes(typed.map(({ bytes }) => bytes.toString()));
  const stripped = new Map(typed.map(({ name }, index) => [name, scripts[index] ?? '']));

  const names = sources.map(({ name }) => name);
  const pathsOf = (pattern: RegExp) =>
    names.filter((name) => pattern.test(name)).map((name) => folder + name);
  const page = consolePage({
    main: `${folder}start-console.ts`,
    styles: pathsOf(/\.css$/),
    icon: `${folder}icon.svg`,
    modules: pathsOf(/\.[jt]s$/),
    imports: Object.fromEntries(
      Object.entries(libraryNames).map(([specifier, name]) => [specifier, folder + name]),
    ),
  });
  const files = await Promise.all(
    sources.map(async ({ name, bytes: source }) => {
      const content = name.endsWith('.ts') ? (stripped.get(name) ?? '') : source;
      const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? '';
      const file = { type, gzipped: await gzip(content), immutable: true };
      return [folder + name, file] as const;
    }),
  );
  return new Map<string, ConsoleFile>([
    [
      consolePath,
      {
        type: 'text/html; charset=utf-8',
        gzipped: await gzip(page.html),
        immutable: false,
        headers: page.headers,
      },
    ],
    ...files,
  ]);
}
