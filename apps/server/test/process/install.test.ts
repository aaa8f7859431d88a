import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { repository, temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const run = promisify(execFile);
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Fake programs, which write their arguments to the file `commands`. */
const programs = {
  pnpm: 'echo "pnpm $@" >> commands',
  // The script calls `npm install --prefix <folder> …`, so the third argument is the folder.
  npm: 'echo "npm $@" >> commands; bin="$3/node_modules/.bin"; mkdir -p "$bin"; cp pnpm "$bin"',
  // On Windows, Node calls npm as `cmd.exe /d /s /c "npm.cmd …"`.
  'cmd.exe': 'echo "$4" | tr -d \'"\' >> commands',
};

/**
 * Runs scripts/install.mjs as if on another platform, and optionally with another version of Node.
 * An example is `run linux 20.0.0`.
 */
async function install(root: string, call: string): Promise<string> {
  const [scope = '', platform, node = process.versions.node] = call.split(' ');
  const script = join(root, 'scripts/install.mjs');
  const program = `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });
    Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(node)} });
    process.argv.splice(1, 0, ${JSON.stringify(script)});
    await import(${JSON.stringify(script)});`;
  // biome-ignore lint/style/noProcessEnv: sh is wherever this machine has it
  const options = { cwd: root, env: { PATH: `${root}${delimiter}${process.env['PATH']}` } };
  const args = ['--input-type=module', '--eval', program, scope];
  return (await run(process.execPath, args, options)).stderr;
}

const npm = /^npm install --prefix node_modules\/\.pnpm@[\d.]+ --no-audit --no-fund$/;
const notice = /^Installing packages\. This happens once\.\n$/;

test.each<[what: string, calls: string[], said: RegExp, commands: RegExp[]]>([
  [
    'the locked packages on Linux once, without another Node if the present one is new enough',
    ['run linux', 'run linux'],
    notice,
    [npm, /^pnpm install --frozen-lockfile --prod (?!.* animal-store ).* --trust-lockfile$/],
  ],
  [
    'a second Node if the present one is too old, and nothing more when it runs again on a newer Node',
    ['run linux 20.0.0', 'run linux'],
    notice,
    [npm, /^pnpm install --frozen-lockfile --prod .* animal-store .* --trust-lockfile$/],
  ],
  [
    'the exact Node for tests, and looks up release dates only for the long tests',
    ['develop linux', 'all linux'],
    notice,
    [npm, /^pnpm (?!.*--prod).* --trust-lockfile$/, /^pnpm (?!.*--(prod|trust))/],
  ],
  ...['darwin', 'win32'].map((platform): [string, string[], RegExp, RegExp[]] => [
    `the locked packages on ${platform}`,
    [`develop ${platform}`, `develop ${platform}`],
    notice,
    [
      // npm 10 does not install pnpm's program by itself if the lockfile lacks it.
      new RegExp(`^npm(\\.cmd)? install .* @pnpm/exe\\.${platform}-\\w+@[\\d.]+$`),
      /pnpm(\.cmd)? install --frozen-lockfile /,
    ],
  ]),
])('scripts/install.mjs installs %s', async (_, calls, said, commands) => {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  copyInstaller(root);
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(root, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  for (const [index, call] of calls.entries()) {
    const isOver = index >= commands.length - 1;
    expect(await install(root, call)).toMatch(isOver ? /^$/ : said);
  }
  const executed = readFileSync(join(root, 'commands'), 'utf8').trim().split('\n');
  expect(executed).toEqual(commands.map((command) => expect.stringMatching(command)));
  // On Windows, the installer creates `exec.cmd`, because `exec` is the only shell command in the
  // npm scripts.
  expect(existsSync(join(root, 'node_modules/.bin/exec.cmd'))).toBe(calls[0] === 'develop win32');
});

/** Copies scripts/install.mjs and all files that it reads. */
function copyInstaller(root: string): void {
  cpSync(join(repository, 'scripts/pnpm'), join(root, 'scripts/pnpm'), { recursive: true });
  for (const file of [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'scripts/install.mjs',
  ])
    copyFileSync(join(repository, file), join(root, file));
}

/**
 * Opens an npm registry that contains one version of one package. The install script of this
 * package creates the file `ran` in the folder `root`.
 */
async function openRegistry(root: string, { name, version }: { name: string; version: string }) {
  const folder = join(root, 'package');
  mkdirSync(folder);
  const manifest = { name, version, bin: { [name]: 'bin.js' } };
  const scripts = { preinstall: `node -e "fs.writeFileSync('${join(root, 'ran')}', '')"` };
  writeFileSync(join(folder, 'bin.js'), '#!/usr/bin/env node\n', { mode: 0o755 });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }));
  await run('tar', ['-czf', 'package.tgz', 'package'], { cwd: root });
  const tarball = readFileSync(join(root, 'package.tgz'));
  const server = createServer(({ url, headers: { host } }, response) => {
    if (url === '/package.tgz') return response.end(tarball);
    if (url !== `/${name}`) return response.writeHead(404).end('{}');
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { integrity, tarball: `http://${host}/package.tgz` };
    const versions = { [version]: { ...manifest, scripts, hasInstallScript: true, dist } };
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(server, { url: `http://127.0.0.1:${port}/` });
}

// pnpm checks the packages of the workspace against the lockfile. pnpm itself must be checked
// before it runs.
test('scripts/install.mjs does not run a pnpm package that a registry has replaced with another one', async () => {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  copyInstaller(root);
  const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string };
  const [name = '', version = ''] = packageManager.split(/[@+]/);
  await using registry = await openRegistry(root, { name, version });
  // biome-ignore lint/style/noProcessEnv: npm is wherever this machine has it
  const env = { PATH: process.env['PATH'], HOME: root, npm_config_registry: registry.url };
  const install = run(process.execPath, ['scripts/install.mjs', 'run'], { cwd: root, env });
  await expect(install).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/EINTEGRITY[\s\S]*Could not install the packages: npm failed\./),
  });
  expect(existsSync(join(root, 'ran'))).toBe(false);
});

test('the checksum and version of pnpm are the same in package.json and in the lockfile, and the lockfile names no registry', () => {
  const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string };
  const lockfile = read('scripts/pnpm/package-lock.json');
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, LockedPackage> };
  const { version, integrity = '' } = packages['node_modules/pnpm'] ?? {};
  const [algorithm = '', checksum = ''] = integrity.split('-');
  const hex = Buffer.from(checksum, 'base64').toString('hex');
  expect(packageManager).toBe(`pnpm@${version}+${algorithm}.${hex}`);
  expect(lockfile).not.toMatch(/https?:/);
  // The entry with an empty path is the root folder, which does not come from a registry.
  const found = Object.entries(packages).filter(([path]) => path !== '');
  expect(found.map(([path]) => path)).toContain('node_modules/@pnpm/exe.linux-x64');
  for (const [path, { integrity }] of found) expect(integrity, path).toMatch(/^sha512-/);
});

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
}

// On Windows, npm runs scripts with cmd.exe. For example, cmd.exe does not support variables before
// a command.
test('the scripts in package.json use no feature of a POSIX shell except the command `exec`', () => {
  const commands = Object.values(scripts).flatMap((script) => script.split(' && '));
  expect(commands.length).toBeGreaterThan(5);
  const portable = /^(?:exec )?(?:node|npm|pnpm|biome|knip|vitest)(?: [\w@./:=%-]+)*(?: >&2)?$/;
  expect(commands.filter((command) => !portable.test(command))).toEqual([]);
});

// Regression: deploy/README.md told operators to run a file by `npx node`. In a new clone, npx uses the
// Node of the system, which may be too old for TypeScript, and there are no packages.
test('each npm script that runs a TypeScript file installs the packages first', () => {
  const typescript = Object.entries(scripts).filter(
    ([name, script]) => script.includes('.ts') && !name.startsWith('pre'),
  );
  expect(typescript.map(([name]) => name)).toContain('migrate');
  for (const [name] of typescript) {
    if (name.startsWith('test:')) continue;
    expect(scripts[`pre${name}`], name).toContain('node scripts/install.mjs ');
  }
});

test('the npm scripts prevent turbo from sending telemetry and from printing its telemetry notice', () => {
  const args = ['--env-file=scripts/turbo.env', 'node_modules/turbo/bin/turbo'];
  for (const script of Object.values(scripts).filter((script) => script.includes('turbo'))) {
    expect(script).toContain(`node ${args.join(' ')} `);
  }
  for (const arg of args) expect(read('scripts/test.mjs')).toContain(`'${arg}'`);
  expect(read('scripts/turbo.env')).toMatch(/^TURBO_TELEMETRY_DISABLED=1$/m);
});

// `npm start` runs this script with the right Node. Without npm, the system's Node runs it.
test.each(['20.20.2', '22.23.3', '24.21.0'])(
  'scripts/start.mjs says which version it needs when Node %s runs it',
  async (version) => {
    const script = join(repository, 'scripts/start.mjs');
    const program = `Object.defineProperty(process.versions, 'node', { value: '${version}' });
    await import(${JSON.stringify(script)});`;
    await expect(
      run(process.execPath, ['--input-type=module', '--eval', program]),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Node ${version} cannot run the service, which needs Node 26. Run \`npm start\`, which installs and uses the right version.\n`,
    });
  },
);

interface Lockfile {
  readonly importers: Readonly<Record<string, Dependent>>;
  readonly packages: Readonly<Record<string, Platforms>>;
  readonly snapshots: Readonly<Record<string, Dependent>>;
}

/** The platforms of a package; without a field, the package runs on all of them. */
interface Platforms {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

interface Dependent {
  readonly optionalDependencies?: Readonly<Record<string, string | { readonly version: string }>>;
}

/** Returns the names of the platforms of a binary, such as `linux-x64-musl`. */
function platformsOf({ os = [], cpu = [], libc = ['glibc'] }: Platforms): string[] {
  return os.flatMap((system) =>
    cpu.flatMap((processor) =>
      system === 'linux'
        ? libc.map((library) => `${system}-${processor}-${library}`)
        : [`${system}-${processor}`],
    ),
  );
}

/** Returns the platforms for which a lockfile lacks a binary, and the packages with binaries. */
function findBinaries({ importers, packages, snapshots }: Lockfile) {
  const needed = 'linux-x64-glibc linux-arm64-glibc darwin-x64 darwin-arm64 win32-x64'.split(' ');
  const musl = ['linux-x64-musl', 'linux-arm64-musl'];
  const checked: string[] = [];
  const missing: string[] = [];
  for (const [name, { optionalDependencies = {} }] of Object.entries({
    ...importers,
    ...snapshots,
  })) {
    const found = Object.entries(optionalDependencies).flatMap(([dependency, version]) => {
      const id = `${dependency}@${typeof version === 'string' ? version : version.version}`;
      return platformsOf(packages[id] ?? {});
    });
    // Packages such as `fsevents` name a system but no processor, so they are not in this list.
    if (found.length === 0) continue;
    checked.push(name);
    // Not every package has binaries for musl, the C library of Alpine Linux.
    const all = found.some((platform) => musl.includes(platform)) ? [...needed, ...musl] : needed;
    const absent = all.filter((platform) => !found.includes(platform));
    missing.push(...absent.map((platform) => `${name}: ${platform}`));
  }
  return { checked, missing };
}

const lockfile: Lockfile = parse(read('pnpm-lock.yaml'));

test('the lockfile contains the native binaries for Linux, macOS and Windows', () => {
  const { checked, missing } = findBinaries(lockfile);
  expect(checked).toEqual(expect.arrayContaining(['.', 'apps/server']));
  expect(checked.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

// pnpm omits the binaries that the registry does not have. An installation on their platform would
// succeed, and the package would fail when it is used.
test.each([
  ['@biomejs/biome', '@biomejs/cli-linux-x64', 'linux-x64-glibc'],
  ['@biomejs/biome', '@biomejs/cli-linux-arm64-musl', 'linux-arm64-musl'],
  ['@biomejs/biome', '@biomejs/cli-win32-x64', 'win32-x64'],
])('the check of the lockfile notices that %s lacks %s', (name, binary, platform) => {
  const [id = '', dependent] =
    Object.entries(lockfile.snapshots).find(([id]) => id.startsWith(`${name}@`)) ?? [];
  const { [binary]: removed, ...optionalDependencies } = dependent?.optionalDependencies ?? {};
  expect(removed).toBeDefined();
  const snapshots = { ...lockfile.snapshots, [id]: { optionalDependencies } };
  expect(findBinaries({ ...lockfile, snapshots }).missing).toEqual([`${id}: ${platform}`]);
});

test('the check of the lockfile notices a package whose only binary is for one platform', () => {
  const [id = ''] = Object.keys(lockfile.snapshots).filter((id) =>
    id.startsWith('@biomejs/biome@'),
  );
  const all = lockfile.snapshots[id]?.optionalDependencies ?? {};
  const optionalDependencies = Object.fromEntries(
    Object.entries(all).filter(([name]) => name === '@biomejs/cli-linux-x64'),
  );
  const snapshots = { ...lockfile.snapshots, [id]: { optionalDependencies } };
  const platforms = ['linux-arm64-glibc', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
  expect(findBinaries({ ...lockfile, snapshots }).missing).toEqual(
    platforms.map((platform) => `${id}: ${platform}`),
  );
});

// The benchmark is a separate workspace, so installing this workspace does not compare the
// benchmark's lockfile with its package.json.
test('the lockfile of the benchmark has the versions that its package.json requires', () => {
  const { dependencies } = JSON.parse(read('apps/bench/package.json')) as {
    dependencies: Record<string, string>;
  };
  const { importers }: { importers: Record<string, BenchImporter> } = parse(
    read('apps/bench/pnpm-lock.yaml'),
  );
  const locked = Object.entries(importers['.']?.dependencies ?? {});
  expect(Object.fromEntries(locked.map(([name, { specifier }]) => [name, specifier]))).toEqual(
    dependencies,
  );
});

interface BenchImporter {
  readonly dependencies: Readonly<Record<string, { readonly specifier: string }>>;
}
