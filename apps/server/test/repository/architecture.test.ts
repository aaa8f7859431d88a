import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

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

test('the files to check are found', () => {
  expect(contract.length).toBeGreaterThan(10);
  expect(client.length).toBeGreaterThan(5);
  expect(server.length).toBeGreaterThan(50);
});

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

  test('the console imports the contract only as types, so that browsers need not load it', () => {
    const inBrowsers = importsUnder('apps/console/src');
    expect(inBrowsers.length).toBeGreaterThan(20);
    const loaded = inBrowsers.filter(({ isType }) => !isType);
    expect(
      allowed(loaded, [
        /^apps\/console\/src\//,
        /^@preact\/signals$/,
        /^(htm\/)?preact/,
        /^uplot$/,
      ]),
    ).toEqual([]);
    const types = inBrowsers.filter(({ isType }) => isType);
    expect(
      allowed(types, [
        /^apps\/console\/src\//,
        /^@animal-store\/contract(\/admin)?$/,
        /^@ts-rest\/core$/,
        /^@preact\/signals$/,
        /^preact/,
        /^uplot$/,
      ]),
    ).toEqual([]);
  });

  test('the server never imports the client or the testkit', () => {
    expect(refused(server, [/^@animal-store\/(client|testkit)/])).toEqual([]);
  });
});

describe('inside the server', () => {
  test('no two files have the same name', () => {
    const names = filesUnder('apps/server/src').map((file) => basename(file));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  /** What each part may import of the server's own code, besides itself. */
  const directions: Record<string, readonly string[]> = {
    http: ['hide-tokens', 'startup-error'],
    api: ['http', 'keys', 'pets', 'quotas', 'reference', 'usage/usage-entry'],
    reference: ['http'],
    observability: [
      'api/observe-requests',
      'batch',
      'database/database-error',
      'database/statement',
      'http/request-outcome',
      'hide-tokens',
      'quotas',
    ],
    ops: [
      'audit',
      'http',
      'database/database-error',
      'keys',
      'operators',
      'observability/log-ops-request',
      'observability/metrics',
      'quotas/quotas',
      'startup-error',
      'usage',
    ],
    cli: ['config', 'ops/local-socket', 'startup-error'],
    keys: ['audit', 'database', 'hide-tokens', 'usage/usage-tables'],
    operators: ['audit', 'database', 'keys/token'],
    audit: ['database', 'hide-tokens', 'repeat'],
    usage: ['database', 'repeat'],
    pets: ['http/api-error', 'batch', 'database'],
    quotas: ['batch'],
    database: ['startup-error'],
  };

  test.each(Object.entries(directions))('%s imports only %j', (part, targets) => {
    const own = server.filter(({ from }) => from.startsWith(`apps/server/src/${part}/`));
    const patterns = [part, ...targets].map(
      (target) => new RegExp(`^apps/server/src/${target}[./]`),
    );
    expect(own.length).toBeGreaterThan(0);
    // Packages from outside are judged below.
    expect(allowed(own, [...patterns, /^(?!apps\/)/])).toEqual([]);
  });

  test('OpenTelemetry is imported by one module, and that one only when it is needed', () => {
    const others = server.filter(({ from }) => !from.endsWith('/observability/tracing.ts'));
    expect(refused(others, [/^@opentelemetry\//])).toEqual([]);
    const atTheStart = /^import (?!type\b)[^;]*\/tracing\.ts';$/m;
    const files = filesUnder('apps/server/src');
    expect(files.filter((file) => atTheStart.test(read(file)))).toEqual([]);
  });

  test('the CLI imports nothing of the service but its settings', () => {
    const loaded = loadedBy('apps/server/src/cli.ts');
    expect(loaded).toContain('apps/server/src/config.ts');
    expect(loaded.filter((file) => /^apps\//.test(file) && !/src\/cli[./]/.test(file))).toEqual([
      'apps/server/src/config.ts',
      'apps/server/src/observability/log-settings.ts',
      'apps/server/src/ops/local-socket.ts',
      'apps/server/src/startup-error.ts',
    ]);
  });

  test('nothing imports main or the CLI', () => {
    const entries = /^apps\/server\/src\/(main|cli)\.ts$/;
    expect(refused(server, [entries])).toEqual([]);
  });

  test("only service.ts opens the operators' listener", () => {
    const others = server.filter(({ from }) => !/src\/(service\.ts|ops\/|cli\/)/.test(from));
    expect(refused(others, [/^apps\/server\/src\/ops\//])).toEqual([]);
  });

  test('only ops/ and the CLI import the admin contract; keys/ and http/ import only its types and errors', () => {
    const others = server.filter(
      ({ from }) =>
        !/src\/(ops\/|cli\/|operators\/|audit\/|usage\/|database\/schema|keys\/key-(audit|management|record|search)|http\/api-error)/.test(
          from,
        ),
    );
    expect(refused(others, [/^@animal-store\/contract\/admin(\/|$)/])).toEqual([]);
  });

  test('only repositories and database/ import drizzle', () => {
    const others = server.filter(
      ({ from }) =>
        !/^apps\/server\/src\/(database\/|operators\/|audit\/|keys\/key-(changes|lookup|management|record|search)|pets\/(pet-repository|idempotent-creation)|usage\/(roll-up-flushes|usage-(partitions|repository|tables)))/.test(
          from,
        ),
    );
    expect(refused(others, [/^drizzle-orm/, /^postgres$/, /^@electric-sql/])).toEqual([]);
  });

  test('only http/, api/, reference/ and ops/ import express', () => {
    const others = server.filter(
      ({ from }) => !/^apps\/server\/src\/(http|api|reference|ops)\//.test(from),
    );
    expect(refused(others, [/^express$/])).toEqual([]);
  });

  test('only quotas/ and the limit on wrong tokens import rate-limiter-flexible', () => {
    const others = server.filter(
      ({ from }) => !/^apps\/server\/src\/(quotas\/|ops\/authenticate-operator)/.test(from),
    );
    expect(refused(others, [/^rate-limiter-flexible$/])).toEqual([]);
  });

  test('only main handles signals and exits', () => {
    const others = filesUnder('apps/server/src').filter((file) => !file.endsWith('src/main.ts'));
    expect(others.filter((file) => /process\.(on|once|exit|kill)\b/.test(read(file)))).toEqual([]);
  });
});

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
