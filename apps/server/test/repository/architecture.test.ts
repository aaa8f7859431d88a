import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

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

test.each([
  [
    'the contract imports no other package and nothing of Node',
    contract,
    [/^packages\/contract\/src\//, /^zod$/, /^@ts-rest\/core$/],
  ],
  [
    'the client imports only the contract',
    client,
    [/^packages\/client\/src\//, /^@animal-store\/contract(\/|$)/],
  ],
  [
    'the console loads only plain data of the contract, so that browsers need no zod',
    importsUnder('apps/console/src').filter(({ isType }) => !isType),
    [
      /^apps\/console\/src\//,
      /^@animal-store\/contract\/(admin\/(account-name|routes)|deprecations|plan)$/,
      /^(@preact\/signals|(htm\/)?preact.*|papaparse|uplot)$/,
    ],
  ],
])('%s', (_rule, imports, patterns) => {
  expect(allowed(imports, patterns)).toEqual([]);
});

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

test('every folder of the server is a room', () => {
  const folders = readdirSync(join(repository, 'apps/server/src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(rooms.map(([room]) => room).sort());
});

test.each(rooms)('%s imports only rooms above it', (room, ...targets) => {
  const place = rooms.findIndex(([name]) => name === room);
  const above = ['config', ...rooms.slice(0, place).map(([name]) => name)];
  expect(above).toEqual(expect.arrayContaining(targets));
  const patterns = [room, ...targets].map((target) => new RegExp(`^apps/server/src/${target}[./]`));
  // Packages from outside are judged below.
  expect(allowed(inRooms(room), [...patterns, /^(?!apps\/)/])).toEqual([]);
});

const sql = [/^drizzle-orm/, /^postgres$/, /^@electric-sql/];
const storing = inRooms(
  ...['database', 'replicas', 'usage', 'audit', 'keys', 'accounts', 'operators'],
  ...['overview', 'pets'],
);
const knowSql = new Set(refused(storing, sql).map(({ from }) => from));

test.each([
  [
    'the server never imports the client or the testkit',
    server,
    [/^@animal-store\/(client|testkit)/],
  ],
  ['nothing imports main or the CLI', server, [/^apps\/server\/src\/(main|cli)\.ts$/]],
  [
    'OpenTelemetry is imported by one module',
    server.filter(({ from }) => !from.endsWith('/observability/tracing.ts')),
    [/^@opentelemetry\//],
  ],
  [
    'what the public API consists of does not know the admin contract',
    inRooms('shared', 'quotas', 'pets', 'reference', 'api'),
    [/^@animal-store\/contract\/admin(\/|$)/],
  ],
  ['only rooms that store something import drizzle', without(storing), sql],
  [
    'no file knows both SQL and HTTP',
    storing.filter(({ from }) => knowSql.has(from)),
    [/^apps\/server\/src\/http\//, /^express$/],
  ],
  [
    'only http/, api/, reference/ and ops/ import express',
    without(inRooms('http', 'api', 'reference', 'ops')),
    [/^express$/],
  ],
  [
    'only quotas/ and ops/, which limits wrong tokens, import rate-limiter-flexible',
    without(inRooms('quotas', 'ops')),
    [/^rate-limiter-flexible$/],
  ],
])('%s', (_rule, imports, patterns) => {
  expect(refused(imports, patterns)).toEqual([]);
});

test('OpenTelemetry is loaded only when it is needed, and the CLI loads nothing of the service', () => {
  const tracing = 'apps/server/src/observability/tracing.ts';
  expect(server.map(({ to }) => to)).toContain(tracing);
  expect(loadedBy('apps/server/src/main.ts')).not.toContain(tracing);
  const loaded = loadedBy('apps/server/src/cli.ts').filter((file) => file.startsWith('apps/'));
  expect(loaded).toContain('apps/server/src/config.ts');
  const own = /^apps\/server\/src\/(cli\.ts|cli\/|config\.ts|shared\/)/;
  expect(loaded.filter((file) => !own.test(file))).toEqual([]);
});

test.each([
  [
    'tells the time and starts timers, but for the CLI',
    /\b(Date|performance)\.now\(|new Date\(\)|(?<!\.)\bset(Timeout|Interval)\(|timers\/promises/,
    /\/src\/(shared\/clock\.ts$|cli\/)/,
  ],
  ['handles signals and exits', /process\.(on|once|exit|kill)\b/, /\/src\/stop-process\.ts$/],
])('only one module %s', (_what, code, own) => {
  const others = filesUnder('apps/server/src').filter((file) => !own.test(file));
  expect(others.filter((file) => code.test(read(file)))).toEqual([]);
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

function read(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}
