import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// Our own, because no library reads these sources. dependency-cruiser 18.7 reads TypeScript by a `typescript`
// before 7, or by swc, where it stops at `await using`; ArchUnitTS 2.5 and the parser of
// eslint-plugin-boundaries need such a `typescript` as well. Biome's `noRestrictedImports` knows neither
// imports of types nor what a file loads in the end.

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

type Import = {
  readonly from: string;
  readonly to: string;
  /** Whether it is gone once the types are. */
  readonly isType: boolean;
};

const contract = importsUnder('packages/contract/src');
const client = importsUnder('packages/client/src');
const server = importsUnder('apps/server/src');

describe('packages', () => {
  test('the contract imports no other package and nothing of Node', () => {
    expect(allowed(contract, [/^packages\/contract\/src\//, /^zod$/, /^@ts-rest\/core$/])).toEqual(
      [],
    );
  });

  test('the client imports only the contract', () => {
    expect(allowed(client, [/^packages\/client\/src\//, /^@animal-store\/contract(\/|$)/])).toEqual(
      [],
    );
  });

  test('the console loads only plain data of the contract, so that browsers need no zod', () => {
    const inBrowsers = importsUnder('apps/console/src');
    const loaded = inBrowsers.filter(({ isType }) => !isType);
    expect(
      allowed(loaded, [
        /^apps\/console\/src\//,
        /^@animal-store\/contract\/(admin\/(account-name|routes)|deprecations|plan)$/,
        /^@preact\/signals$/,
        /^(htm\/)?preact/,
        /^papaparse$/,
        /^uplot$/,
      ]),
    ).toEqual([]);
    const types = inBrowsers.filter(({ isType }) => isType);
    expect(
      allowed(types, [
        /^apps\/console\/src\//,
        /^@animal-store\/contract(\/(admin|admin\/routes|plan))?$/,
        /^@ts-rest\/core$/,
        /^@preact\/signals$/,
        /^preact/,
        /^papaparse$/,
        /^uplot$/,
      ]),
    ).toEqual([]);
  });

  test('the server never imports the client or the testkit', () => {
    expect(refused(server, [/^@animal-store\/(client|testkit)/])).toEqual([]);
  });
});

describe('names of files', () => {
  /** Names that tools ask for, of a file that every package has. */
  const prescribed = /^(index|(stryker\.)?vitest\.config)\./;
  const isTest = (name: string) => /\.test(-d)?\.ts$/.test(name);
  const files = ['apps', 'packages', 'examples', 'scripts', 'deploy'].flatMap(sourcesUnder);

  /** Names, without their ending, that are in more than one folder. */
  function repeated(paths: readonly string[]): string[] {
    const folders = Map.groupBy(
      paths.filter((path) => !prescribed.test(basename(path))),
      (path) => basename(path).replace(/\.[a-z]+$/, ''),
    );
    return [...folders.values()].filter((same) => new Set(same.map(dirname)).size > 1).flat();
  }

  // Files of one folder may share a name, such as a Lua script and the TypeScript that loads it.
  test('no two sources of the workspace have the same name', () => {
    expect(repeated(files.filter((path) => !isTest(path)))).toEqual([]);
  });

  // A test has the name of what it tests. It is next to it, or in the folder of its subject.
  test('no two tests of the workspace have the same name', () => {
    expect(repeated(files.filter(isTest))).toEqual([]);
  });
});

describe('inside the server', () => {
  /** The rooms, and what each may import besides itself: only rooms above it, so there is no cycle. */
  const rooms: readonly [room: string, ...imports: string[]][] = [
    ['shared'],
    ['http', 'shared'],
    ['database', 'shared'],
    ['replicas', 'database', 'shared'],
    ['quotas', 'shared'],
    ['usage', 'database', 'shared'],
    ['audit', 'database', 'shared'],
    ['keys', 'audit', 'database', 'quotas', 'replicas', 'shared', 'usage'],
    ['accounts', 'audit', 'database', 'keys', 'quotas', 'replicas', 'usage'],
    ['operators', 'audit', 'database', 'keys', 'shared'],
    ['pets', 'database', 'http', 'shared'],
    ['reference', 'http'],
    ['api', 'http', 'keys', 'pets', 'quotas', 'reference'],
    ['overview', 'database', 'replicas', 'shared', 'usage'],
    ['observability', 'api', 'database', 'http', 'quotas', 'shared'],
    [
      'ops',
      ...['accounts', 'audit', 'database', 'http', 'keys', 'observability'],
      ...['operators', 'overview', 'quotas', 'shared', 'usage'],
    ],
    // `config.ts` is a room of one file.
    ['cli', 'config', 'shared'],
  ];
  const inRooms = (...names: string[]) =>
    server.filter(({ from }) => names.some((room) => from.startsWith(`apps/server/src/${room}/`)));

  test('every folder is a room', () => {
    const folders = readdirSync(join(repository, 'apps/server/src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.sort()).toEqual(rooms.map(([room]) => room).sort());
  });

  test.each(rooms)('%s imports only rooms above it', (room, ...targets) => {
    const above = [
      ...rooms
        .slice(
          0,
          rooms.findIndex(([name]) => name === room),
        )
        .flat(),
      'config',
    ];
    expect(targets.filter((target) => !above.includes(target))).toEqual([]);
    const patterns = [room, ...targets].map(
      (target) => new RegExp(`^apps/server/src/${target}[./]`),
    );
    // Packages from outside are judged below.
    expect(allowed(inRooms(room), [...patterns, /^(?!apps\/)/])).toEqual([]);
  });

  test('OpenTelemetry is imported by one module, and that one only when it is needed', () => {
    const others = server.filter(({ from }) => !from.endsWith('/observability/tracing.ts'));
    expect(refused(others, [/^@opentelemetry\//])).toEqual([]);
    const atTheStart = /^import (?!type\b)[^;]*\/tracing\.ts';$/m;
    const files = filesUnder('apps/server/src');
    expect(files.filter((file) => atTheStart.test(read(file)))).toEqual([]);
  });

  test('the CLI loads nothing of the service but its settings', () => {
    const loaded = loadedBy('apps/server/src/cli.ts').filter((file) => file.startsWith('apps/'));
    expect(loaded).toContain('apps/server/src/config.ts');
    const own = /^apps\/server\/src\/(cli\.ts|cli\/|config\.ts|shared\/)/;
    expect(loaded.filter((file) => !own.test(file))).toEqual([]);
  });

  test('nothing imports main or the CLI', () => {
    const entries = /^apps\/server\/src\/(main|cli)\.ts$/;
    expect(refused(server, [entries])).toEqual([]);
  });

  test('what the public API consists of does not know the admin contract', () => {
    const publicRooms = inRooms('shared', 'quotas', 'pets', 'reference', 'api');
    expect(refused(publicRooms, [/^@animal-store\/contract\/admin(\/|$)/])).toEqual([]);
  });

  test('only rooms that store something import drizzle, and no file knows both SQL and HTTP', () => {
    const sql = [/^drizzle-orm/, /^postgres$/, /^@electric-sql/];
    const storing = inRooms(
      'database',
      'replicas',
      'usage',
      'audit',
      'keys',
      'accounts',
      'operators',
      'overview',
      'pets',
    );
    expect(refused(without(storing), sql)).toEqual([]);
    const knowSql = new Set(refused(storing, sql).map(({ from }) => from));
    const ofSqlFiles = storing.filter(({ from }) => knowSql.has(from));
    expect(refused(ofSqlFiles, [/^apps\/server\/src\/http\//, /^express$/])).toEqual([]);
  });

  test('only http/, api/, reference/ and ops/ import express', () => {
    const web = inRooms('http', 'api', 'reference', 'ops');
    expect(refused(without(web), [/^express$/])).toEqual([]);
  });

  test('only quotas/ and ops/, which limits wrong tokens, import rate-limiter-flexible', () => {
    expect(refused(without(inRooms('quotas', 'ops')), [/^rate-limiter-flexible$/])).toEqual([]);
  });

  test('only one module tells the time and starts timers, but for the CLI', () => {
    const own = /\/src\/(shared\/clock\.ts$|cli\/)/;
    const time =
      /\b(Date|performance)\.now\(|new Date\(\)|(?<!\.)\bset(Timeout|Interval)\(|timers\/promises/;
    const others = filesUnder('apps/server/src').filter((file) => !own.test(file));
    expect(others.filter((file) => time.test(read(file)))).toEqual([]);
  });

  test('only one module handles signals and exits', () => {
    const others = filesUnder('apps/server/src').filter(
      (file) => !file.endsWith('src/stop-process.ts'),
    );
    expect(others.filter((file) => /process\.(on|once|exit|kill)\b/.test(read(file)))).toEqual([]);
  });
});

/** All imports of the server but these. */
function without(imports: readonly Import[]): Import[] {
  return server.filter((it) => !imports.includes(it));
}

function allowed(imports: readonly Import[], patterns: readonly RegExp[]): Import[] {
  return imports.filter(({ to }) => !patterns.some((pattern) => pattern.test(to)));
}

function refused(imports: readonly Import[], patterns: readonly RegExp[]): Import[] {
  return imports.filter(({ to }) => patterns.some((pattern) => pattern.test(to)));
}

/** Every import of the code under a folder; tests are left out, they may reach further. */
function importsUnder(folder: string): Import[] {
  return filesUnder(folder).flatMap((from) =>
    [...read(from).matchAll(/^(?:import|export) (type )?(?:[^;'"]*from )?'([^']+)';$/gm)].map(
      ([, type, target = '']) => ({
        from,
        isType: type !== undefined,
        to: target.startsWith('.')
          ? relative(repository, resolve(repository, dirname(from), target))
          : target,
      }),
    ),
  );
}

/** What of the server is loaded with a file, sorted. */
function loadedBy(entry: string): string[] {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const { from, to, isType } of server) if (from === file && !isType) loaded.add(to);
  }
  return [...loaded].sort();
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.test-d)\.ts$/.test(entry.name))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)));
}

/** All that people write in a programming language, tests included. */
function sourcesUnder(folder: string): string[] {
  return globSync(`${folder}/**/*.{ts,mjs,js,lua,css}`, {
    cwd: repository,
    exclude: (path) => /(^|\/)(node_modules|dist|reports)$/.test(path),
  });
}

function read(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}
