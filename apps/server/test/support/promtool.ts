import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../node_modules/.cache/promtool/', import.meta.url));

/** Runs `promtool check metrics` and gives all that it objects to; empty if it finds nothing. */
export async function checkMetrics(metrics: string): Promise<string> {
  const promtool = spawn(await findPromtool(), ['check', 'metrics']);
  promtool.stdin.end(metrics);
  const [objections, complaints, [code]] = await Promise.all([
    text(promtool.stdout),
    text(promtool.stderr),
    once(promtool, 'close'),
  ]);
  const said = `${objections}${complaints}`;
  return code === 0 ? said : `${said}exit code ${code}`;
}

async function findPromtool(): Promise<string> {
  if (await isThere('promtool', '--version')) return 'promtool';
  const kept = join(cache, 'promtool');
  if (!existsSync(kept) && (await isThere('apt-get', '--version'))) await unpack(kept);
  if (existsSync(kept)) return kept;
  throw new Error(
    'The tests check /metrics with promtool, and it is not on the PATH. Install it: apt-get install prometheus (Debian, Ubuntu), dnf install golang-github-prometheus (Fedora), apk add prometheus (Alpine), brew install prometheus (macOS).',
  );
}

async function isThere(command: string, ...args: string[]): Promise<boolean> {
  try {
    await run(command, args);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

/**
 * Takes the one binary out of Debian's package. Installing the package would take five times as
 * much, and start a Prometheus on this machine.
 */
async function unpack(target: string): Promise<void> {
  const directory = join(cache, 'package');
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const download = () => run('apt-get', ['download', 'prometheus'], { cwd: directory });
  await download().catch(async () => {
    // Package lists may be missing, or old.
    await run('apt-get', ['update']).catch(() => {});
    await download();
  });
  await run('sh', ['-c', 'dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool'], {
    cwd: directory,
  });
  await rename(join(directory, 'usr/bin/promtool'), target);
  await rm(directory, { recursive: true });
}
