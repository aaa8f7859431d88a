import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type RedisBinaries = { server: string; cli: string };

let found: Promise<RedisBinaries> | undefined;

/** Finds Redis or Valkey on the PATH; installs Redis where that is possible without asking. */
export function redisBinaries(): Promise<RedisBinaries> {
  found ??= findOrInstall();
  return found;
}

async function findOrInstall(): Promise<RedisBinaries> {
  const there = await find();
  if (there) return there;
  const installed = process.getuid?.() === 0 && (await installWithApt());
  const binaries = installed ? await find() : undefined;
  if (binaries) return binaries;
  throw new Error(
    'The tests need a real Redis, and neither redis-server nor valkey-server is on the PATH. Install one: apt-get install redis-server (Debian, Ubuntu), dnf install valkey (Fedora), apk add redis (Alpine), brew install redis (macOS).',
  );
}

async function find(): Promise<RedisBinaries | undefined> {
  for (const name of ['redis', 'valkey']) {
    const binaries = { server: `${name}-server`, cli: `${name}-cli` };
    try {
      await run(binaries.server, ['--version']);
      return binaries;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** Installs redis-server; false where there is no apt-get. */
async function installWithApt(): Promise<boolean> {
  const install = [
    'command -v redis-server',
    '{ apt-get update && apt-get install --yes --no-install-recommends redis-server; }',
  ].join(' || ');
  try {
    await run('apt-get', ['--version']);
  } catch {
    return false;
  }
  // Test files look for Redis at the same time: one installs, the others wait and then find it.
  await run('flock', ['/var/cache/apt', 'sh', '-c', install]);
  return true;
}
