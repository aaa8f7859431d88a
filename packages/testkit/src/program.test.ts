import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findOrUnpack } from './program.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/**
 * A machine whose PATH has nothing but these commands, each a script of the shell. Its packages are tar
 * files: the real ones are large and far away.
 */
async function openMachine(commands: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory();
  const bin = join(directory.path, 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(commands)) {
    // biome-ignore lint/style/noProcessEnv: the scripts need the tools of this machine
    await writeFile(join(bin, name), `#!/bin/sh\nPATH='${process.env['PATH']}'\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return {
    path: bin,
    cache: join(directory.path, 'cache'),
    log: join(directory.path, 'log'),
    [Symbol.asyncDispose]: () => directory.close(),
  };
}

/** `apt-get` of a machine that has no lists of packages before it fetches them. */
const aptGet = `
echo "$@" >> "\${0%/*}/../log"
case "$*" in
  *' update') exit;;
  Dir::*|-o\\ Dir::*) ;;
  *) echo 'E: Unable to locate package' >&2; exit 100;;
esac
case "$*" in
  *--simulate*) echo 'Inst libneeded (1 Debian:12 [amd64])'; echo 'Inst redis-tools (7 Debian:12 [amd64])'; exit;;
esac
mkdir -p usr/bin lib/x86_64-linux-gnu
echo 'echo "$LD_LIBRARY_PATH $*"' > usr/bin/redis-server
chmod +x usr/bin/redis-server
echo > lib/x86_64-linux-gnu/libneeded.so
tar -cf redis.deb usr lib
rm -r usr lib
`;

test('a missing program is unpacked from its package, without root, once', async () => {
  await using machine = await openMachine({
    'apt-get': aptGet,
    'dpkg-deb': 'tar -x -f "$2" -C "$3"',
    sh: 'exec sh "$@"',
  });
  const program = await findOrUnpack('redis', machine);
  expect(program).toBe(join(machine.cache, 'redis/commands/redis-server'));
  const { stdout } = await run(program, ['--port', '1']);
  expect(stdout).toContain(`${machine.cache}/redis/commands/../root/lib/x86_64-linux-gnu:`);
  expect(stdout).toMatch(/ --port 1\n$/);

  const { stdout: log } = await run('cat', [machine.log]);
  expect(log).toMatch(/ download redis-server libneeded redis-tools\n$/);
  expect(await findOrUnpack('redis', machine)).toBe(program);
  expect((await run('cat', [machine.log])).stdout).toBe(log);
});
