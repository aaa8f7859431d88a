import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';

// Our own, because no library reads these sources. dependency-cruiser 18.7 reads TypeScript by a `typescript`
// before 7, or by swc, where it stops at `await using`; ArchUnitTS 2.5 and the parser of
// eslint-plugin-boundaries need such a `typescript` as well. Biome's `noRestrictedImports` knows neither
// imports of types nor what a file loads in the end.

type Import = {
  readonly from: string;
  readonly to: string;
  /** Whether it is gone once the types are. */
  readonly isType: boolean;
};

const server = importsUnder('apps/server/src');

test.each([
  [
    'the contract imports no other package and nothing of Node',
    importsUnder('packages/contract/src'),
    [/^packages\/contract\/src\//, /^zod$/, /^@ts-rest\/core$/],
  ],
  [
    'the admin contract imports only the contract',
    importsUnder('packages/admin-contract/src'),
    [
      /^packages\/admin-contract\/src\//,
      /^zod$/,
      /^@ts-rest\/core$/,
      /^@animal-store\/contract(\/|$)/,
    ],
  ],
  [
    'the room http knows nothing of operators',
    importsUnder('apps/server/src/http'),
    [/^(?!@animal-store\/admin-contract)/],
  ],
  [
    'the client imports only the contract',
    importsUnder('packages/client/src'),
    [/^packages\/client\/src\//, /^@animal-store\/contract(\/|$)/],
  ],
  [
    'the console loads only plain data of the contract, so that browsers need no zod',
    importsUnder('apps/console/src').filter(({ isType }) => !isType),
    [
      /^apps\/console\/src\//,
      /^@animal-store\/(admin-contract\/(account-name|routes)|contract\/(deprecations|plan))$/,
      /^(@preact\/signals|@tanstack\/preact-query|preact.*|papaparse|uplot.*|wouter-preact.*)$/,
    ],
  ],
  [
    'the pages of the reference import only the contract and what renders Markdown and code',
    importsUnder('apps/docs/src'),
    [
      /^apps\/docs\/src\//,
      /^@animal-store\/contract(\/|$)/,
      /^(highlight\.js|marked)(\/|$)/,
      /^node:/,
    ],
  ],
  [
    'the server never imports the CLI, the client or the testkit',
    server,
    [/^(?!@animal-store\/(cli|client|testkit)$)/],
  ],
  [
    'the CLI loads nothing of the service',
    importsUnder('apps/cli/src'),
    [
      /^apps\/cli\/src\//,
      /^@animal-store\/(admin-contract|contract|runtime)$/,
      /^(?!@animal-store|\.)/,
    ],
  ],
])('%s', (_rule, imports, patterns) => {
  expect(refused(imports, patterns)).toEqual([]);
});

/** The rooms, and what each may import besides itself: only rooms above it, so there is no cycle. */
const rooms: readonly [room: string, ...imports: string[]][] = [
  ['http'],
  ['schema'],
  ['replicas', 'schema'],
  ['quotas'],
  ['usage', 'schema'],
  ['audit', 'schema'],
  ['keys', 'audit', 'schema', 'quotas', 'replicas', 'usage'],
  ['accounts', 'audit', 'schema', 'keys', 'quotas', 'replicas', 'usage'],
  ['operators', 'audit', 'schema', 'keys'],
  ['pets', 'schema', 'http'],
  ['api', 'http', 'keys', 'pets', 'quotas'],
  ['overview', 'schema', 'replicas', 'usage'],
  ['observability', 'api', 'schema', 'http', 'quotas'],
  [
    'ops',
    ...['accounts', 'audit', 'schema', 'http', 'keys', 'observability'],
    ...['operators', 'overview', 'quotas', 'usage'],
  ],
];

test('every folder of the server is a room', () => {
  const folders = readdirSync(join(repository, 'apps/server/src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(rooms.map(([room]) => room).sort());
});

test.each(rooms)('%s imports only rooms above it', (room, ...targets) => {
  const place = rooms.findIndex(([name]) => name === room);
  const above = rooms.slice(0, place).map(([name]) => name);
  expect(above).toEqual(expect.arrayContaining(targets));
  const patterns = [room, ...targets].map((target) => new RegExp(`^apps/server/src/${target}[./]`));
  const own = server.filter(({ from }) => from.startsWith(`apps/server/src/${room}/`));
  expect(refused(own, [...patterns, /^(?!apps\/)/])).toEqual([]);
});

test('OpenTelemetry is loaded only when it is needed', () => {
  const telemetry = /^@opentelemetry\//;
  expect(server.some(({ to }) => telemetry.test(to))).toBe(true);
  expect(loadedBy('apps/server/src/main.ts').filter((it) => telemetry.test(it))).toEqual([]);
});

test.each([
  [
    'tells the time and starts timers',
    /\b(Date|performance)\.now\(|new Date\(\)|(?<!\.)\bset(Timeout|Interval)\(|timers\/promises/,
    /never/,
  ],
  ['handles signals and exits', /process\.(on|once|exit|kill)\b/, /\/src\/stop-process\.ts$/],
])('only one module %s', (_what, code, own) => {
  const others = filesUnder('apps/server/src').filter((file) => !own.test(file));
  expect(others.filter((file) => code.test(read(file)))).toEqual([]);
});

function refused(imports: readonly Import[], allowed: readonly RegExp[]): Import[] {
  return imports.filter(({ to }) => !allowed.some((pattern) => pattern.test(to)));
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

/** What is loaded with a file of the server. */
function loadedBy(entry: string): string[] {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const { from, to, isType } of server) if (from === file && !isType) loaded.add(to);
  }
  return [...loaded];
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.test-d)\.tsx?$/.test(entry.name))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)));
}

function read(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}
