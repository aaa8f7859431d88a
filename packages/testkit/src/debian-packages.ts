import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary-directory.ts';

const execute = promisify(execFile);

type Run = (command: string, args: readonly string[], cwd: string) => Promise<{ stdout: string }>;

export type UnpackOptions = {
  /** A Debian package, as `redis-server`. */
  name: string;
  /** The one program of it that is wanted, as `promtool`, if it needs no other package. */
  only?: string | undefined;
  /** Where it is unpacked, once. */
  target: string;
};

/**
 * Downloads a package of Debian or Ubuntu, with those that it needs and this machine lacks, and unpacks
 * them. That needs no root, changes nothing elsewhere, and starts no service.
 *
 * @returns the directory of its commands.
 * @throws an Error if there is no `apt-get`, no network, or no such package.
 */
export async function unpackDebianPackage(options: UnpackOptions): Promise<string> {
  const { target } = options;
  const commands = join(target, 'commands');
  if (existsSync(target)) return commands;
  const run: Run = (command, args, cwd) =>
    // Lists of packages are long.
    execute(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
  const parent = join(target, '..');
  await mkdir(parent, { recursive: true });
  await using directory = await temporaryDirectory({ parent });
  const debs = join(directory.path, 'debs');
  await mkdir(debs);
  // The machine's lists of packages may be missing or old, so then it is lists of our own.
  await download(run, options, debs).catch(async () => {
    const own = await fetchLists(run, directory.path);
    await download(run, options, debs, own);
  });

  const unpacked = join(directory.path, 'unpacked');
  const root = join(unpacked, 'root');
  await mkdir(root, { recursive: true });
  for (const deb of await readdir(debs))
    await unpack(run, join(debs, deb), { root, only: options.only });
  await writeCommands(root, join(unpacked, 'commands'));
  // Whole or not at all: test files run in parallel. Another may have been faster.
  await rename(unpacked, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return commands;
}

async function download(
  run: Run,
  { name, only }: UnpackOptions,
  debs: string,
  options: readonly string[] = [],
) {
  const apt = (...args: string[]) => run('apt-get', [...options, ...args], debs);
  const names = new Set([name]);
  if (only === undefined) {
    const { stdout } = await apt('--simulate', '--no-install-recommends', 'install', name);
    // `Inst libjemalloc2 (5.3.0-1 Debian:12.0/stable [amd64])`
    for (const [, needed = ''] of stdout.matchAll(/^Inst (\S+)/gm)) names.add(needed);
  }
  await apt('download', ...names);
}

async function unpack(
  run: Run,
  deb: string,
  { root, only }: { root: string; only: string | undefined },
) {
  if (only === undefined) return await run('dpkg-deb', ['-x', deb, root], root);
  const script = 'dpkg-deb --fsys-tarfile "$0" | tar -x "./usr/bin/$1"';
  return await run('sh', ['-c', script, deb, only], root);
}

/** Fetches the lists of packages into a directory, and gives the options that make `apt-get` use them. */
async function fetchLists(run: Run, directory: string): Promise<string[]> {
  const lists = join(directory, 'lists');
  await mkdir(join(lists, 'partial'), { recursive: true });
  const options = [
    ...['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${join(directory, 'cache')}`],
    // As root, apt-get downloads as a user who may not enter this directory.
    ...['-o', 'APT::Sandbox::User='],
  ];
  await run('apt-get', [...options, 'update'], directory);
  return options;
}

/** Writes a script for each program, which tells it where the libraries are that came with it. */
async function writeCommands(root: string, commands: string): Promise<void> {
  await mkdir(commands);
  const programs = await readdir(join(root, 'usr/bin'));
  for (const program of programs) {
    const script = `#!/bin/sh
root=\${0%/*}/../root
libraries=$(printf '%s:' "$root"/lib/*-linux-gnu* "$root"/usr/lib/*-linux-gnu*)
LD_LIBRARY_PATH=$libraries$LD_LIBRARY_PATH exec "$root/usr/bin/${program}" "$@"
`;
    await writeFile(join(commands, program), script, { mode: 0o755 });
  }
}
