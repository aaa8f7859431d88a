import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary-directory.ts';

const execute = promisify(execFile);
// The limit for the output of a command is 64 MB, because apt's lists of packages are long.
const run = (command: string, args: readonly string[], cwd: string) =>
  execute(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });

/**
 * Downloads a package of Debian or Ubuntu, and unpacks it into `target`, if that does not exist
 * yet. Unless `alone` is set, it also unpacks the dependencies that this machine lacks. The
 * function needs no root, changes nothing else on the machine, and starts no service.
 *
 * @returns the directory with the commands of the package.
 * @throws an Error if there is no `apt-get`, no network, or no such package.
 */
export async function unpackDebianPackage(
  name: string,
  target: string,
  { alone }: { alone: boolean },
): Promise<string> {
  const commands = join(target, 'commands');
  if (existsSync(target)) return commands;
  const parent = join(target, '..');
  await mkdir(parent, { recursive: true });
  await using directory = await temporaryDirectory({ parent });
  const [lists, debs, unpacked] = ['lists', 'debs', 'unpacked'].map((part) =>
    join(directory.path, part),
  ) as [string, string, string];
  const root = join(unpacked, 'root');
  for (const path of [join(lists, 'partial'), debs, root]) await mkdir(path, { recursive: true });

  const options = [
    // apt gets its own lists of packages, because the lists of the machine may be missing or old.
    ...['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${join(directory.path, 'cache')}`],
    // Without this option, an apt-get that runs as root would download as another user, who cannot
    // enter this directory.
    ...['-o', 'APT::Sandbox::User='],
  ];
  const apt = (...args: string[]) => run('apt-get', [...options, ...args], debs);
  await apt('update');
  const names = new Set([name]);
  if (!alone) {
    const { stdout } = await apt('--simulate', '--no-install-recommends', 'install', name);
    // A line has the form `Inst libjemalloc2 (5.3.0-1 Debian:12.0/stable [amd64])`.
    for (const [, needed = ''] of stdout.matchAll(/^Inst (\S+)/gm)) names.add(needed);
  }
  await apt('download', ...names);
  for (const deb of await readdir(debs)) await run('dpkg-deb', ['-x', deb, root], debs);
  await writeCommands(root, join(unpacked, 'commands'));
  await publish(unpacked, target);
  return commands;
}

/**
 * Moves a finished directory to its final place in one step. If another process has created the
 * same directory first, the directory of the other process is kept.
 */
export async function publish(directory: string, target: string): Promise<void> {
  await rename(directory, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

/**
 * Writes a shell script for each program of the packages. The script sets the path of the unpacked
 * libraries, and starts the program.
 */
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
