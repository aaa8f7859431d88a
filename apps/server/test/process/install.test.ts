import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** A copy of the files that scripts/install.mjs reads, with an `npm` and a pnpm that write down their arguments. */
async function openCheckout() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  mkdirSync(join(root, 'scripts'));
  for (const file of [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'scripts/install.mjs',
  ]) {
    copyFileSync(join(repository, file), join(root, file));
  }
  const log = join(root, 'commands.log');
  const write = (name: string, script: string) => {
    writeFileSync(join(root, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(root, name), 0o755);
  };
  write('pnpm', `echo "pnpm $@" >> '${log}'`);
  // As npm does: `npm install --prefix <folder> … <package>`.
  write(
    'npm',
    `echo "npm $@" >> '${log}'; bin="$3/node_modules/.bin"; mkdir -p "$bin"; cp pnpm "$bin"`,
  );
  // On Windows Node runs it by `cmd.exe /d /s /c "npm.cmd …"`.
  write('cmd.exe', `echo "$4" | tr -d '"' >> '${log}'`);
  return {
    root,
    /** Runs the script as on a platform and a version of Node, and gives what it said. */
    async install(scope: string, platform: string, nodeVersion = process.versions.node) {
      const script = join(root, 'scripts/install.mjs');
      const { stderr } = await run(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });
           Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(nodeVersion)} });
           process.argv.splice(1, 0, ${JSON.stringify(script)});
           await import(${JSON.stringify(script)});`,
          scope,
        ],
        // biome-ignore lint/style/noProcessEnv: sh is wherever this machine has it
        { env: { PATH: `${root}${delimiter}${process.env['PATH']}` } },
      );
      return stderr;
    },
    /** The commands that were run so far. */
    commands: () => readFileSync(log, 'utf8').trim().split('\n'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test('on Linux, exactly what the lockfile says is installed, once', async () => {
  await using checkout = await openCheckout();
  expect(await checkout.install('run', 'linux')).toBe('Installing packages. This happens once.\n');
  expect(await checkout.install('run', 'linux')).toBe('');
  expect(checkout.commands()).toEqual([
    expect.stringMatching(/^npm install --prefix node_modules\/\.(pnpm@\S+) .* \1$/),
    expect.stringMatching(/^pnpm install --frozen-lockfile --prod /),
  ]);
});

test('to run the service, Node is not installed if this one has the right major version', async () => {
  await using checkout = await openCheckout();
  await checkout.install('run', 'linux');
  // Another Node, which would not do.
  await checkout.install('run', 'linux', '20.0.0');
  await checkout.install('run', 'linux');
  expect(checkout.commands().slice(1)).toEqual([
    expect.stringContaining(' --no-optional '),
    expect.not.stringContaining(' --no-optional '),
  ]);
});

test('release dates are looked up for the long tests alone, by the same pnpm', async () => {
  await using checkout = await openCheckout();
  for (const scope of ['run', 'develop', 'all']) await checkout.install(scope, 'linux');
  expect(checkout.commands().slice(1)).toEqual([
    expect.stringMatching(/^pnpm .* --trust-lockfile/),
    expect.stringMatching(/^pnpm .* --trust-lockfile/),
    expect.not.stringContaining(' --trust-lockfile'),
  ]);
  // Tests have the exact Node that is pinned.
  expect(checkout.commands()[2]).not.toContain(' --no-optional ');
});

test.each(['darwin', 'win32'])(
  'on %s, packages are resolved without the lockfile, and it says so',
  async (platform) => {
    await using checkout = await openCheckout();
    const said = await checkout.install('develop', platform);
    expect(said).toMatch(
      /^Installing packages.*\npnpm-lock\.yaml has binaries for Linux only, so this installation/,
    );
    expect(await checkout.install('develop', platform)).toBe('');
    const [, command, ...others] = checkout.commands();
    expect(command).toMatch(/pnpm(\.cmd)? install --no-lockfile /);
    expect(others).toEqual([]);
  },
);

test('on Windows, cmd.exe is given the one shell command that scripts use', async () => {
  await using checkout = await openCheckout();
  await checkout.install('run', 'win32');
  const shim = join(checkout.root, 'node_modules', '.bin', 'exec.cmd');
  expect(readFileSync(shim, 'utf8')).toBe('@%*\r\n');
});

// npm runs scripts by cmd.exe on Windows: it has no variables before a command, for example.
test('no other script in package.json needs a POSIX shell', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = Object.values(scripts).flatMap((script) => script.split(' && '));
  expect(commands.length).toBeGreaterThan(5);
  const portable = /^(?:exec )?(?:node|npm|pnpm|biome|knip|vitest)(?: [\w@./:=%-]+)*(?: >&2)?$/;
  expect(commands.filter((command) => !portable.test(command))).toEqual([]);
});

test('no script lets turbo send telemetry, or print its notice of that', async () => {
  const read = (file: string) => readFileSync(join(repository, file), 'utf8');
  const args = ['--env-file=scripts/turbo.env', 'node_modules/turbo/bin/turbo'];
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const script of Object.values(scripts).filter((script) => script.includes('turbo'))) {
    expect(script).toContain(`node ${args.join(' ')} `);
  }
  for (const arg of args) expect(read('scripts/test.mjs')).toContain(`'${arg}'`);
  await using home = await temporaryDirectory();
  const options = { cwd: repository, env: { HOME: home.path } };
  const { stdout } = await run(process.execPath, [...args, 'telemetry', 'status'], options);
  expect(stdout).toContain('Disabled');
});
