import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary-directory.ts';

const execute = promisify(execFile);

/** The project folder of a user, with an installed package and the files that a test writes. */
export type Consumer = Awaited<ReturnType<typeof createConsumer>>;

/**
 * Packs a package, and installs it in a new folder, with the commands that the guide shows (see
 * `packaging.test.ts`).
 *
 * @param peers the peer dependencies, which users install too. They are linked from the package.
 */
export async function createConsumer(folder: string, peers: readonly string[] = []) {
  const directory = await temporaryDirectory();
  const root = join(folder, '../..');
  const path = join(directory.path, 'my-project');
  /** Runs a command in the folder, and returns its output. */
  const run = (command: string, args: string[]) => runIn(path, command, args);
  async function write(file: string, text: string) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }

  // The tarball is written outside of the repository. The build of `prepack` is skipped, because
  // `npm test` has already built the package, and other tests may read `dist` at the same time.
  const release = join(directory.path, 'animal-store/release/');
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const pack = `${scripts.tarballs} --config.ignore-scripts=true`.replace('release/', release);
  await runIn(root, join(root, 'node_modules/.bin/pnpm'), pack.split(' ').slice(1));
  await write('package.json', '{ "private": true }');
  // With `offline=true`, npm downloads nothing. If the package had dependencies, the installation
  // would fail.
  await write('.npmrc', 'offline=true\nlegacy-peer-deps=true\naudit=false\nfund=false\n');
  const file = `animal-store-${basename(folder)}.tgz`;
  await run('npm', ['install', `../animal-store/release/${file}`]);
  for (const name of peers) {
    const link = join(path, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(folder, 'node_modules', name), link, 'junction');
  }
  /** The tarball of the package, as bytes. */
  const tarball = new Uint8Array(await readFile(join(release, file)));
  return { ...directory, path, tarball, write, run };
}

/** Returns all TypeScript examples of a package's README, in the order of the README. */
export async function readExamples(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'README.md'), 'utf8');
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) => code);
}

/**
 * Runs a command, and returns its standard output. If the command fails, the error contains the
 * whole output.
 */
export async function runIn(cwd: string, command: string, args: string[]): Promise<string> {
  try {
    return (await execute(command, args, { cwd, encoding: 'utf8' })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
  }
}
