import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

let found: Promise<string> | undefined;

/** Finds Chromium or Chrome on the PATH; installs Chromium where that is possible without asking. */
export function chromiumBinary(): Promise<string> {
  found ??= findOrInstall();
  return found;
}

async function findOrInstall(): Promise<string> {
  const there = await find();
  if (there) return there;
  const installed = process.getuid?.() === 0 && (await installWithApt());
  const binary = installed ? await find() : undefined;
  if (binary) return binary;
  throw new Error(
    'The tests need a real Chromium, and neither it nor Chrome is on the PATH. Install it: apt-get install chromium (Debian, Ubuntu), dnf install chromium (Fedora), apk add chromium (Alpine), brew install chromium (macOS).',
  );
}

async function find(): Promise<string | undefined> {
  for (const name of names) {
    try {
      return (await run('sh', ['-c', 'command -v "$0"', name])).stdout.trim();
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** Installs Chromium; false where there is no apt-get. */
async function installWithApt(): Promise<boolean> {
  const install = [
    'command -v chromium',
    '{ apt-get update && apt-get install --yes --no-install-recommends chromium; }',
  ].join(' || ');
  try {
    await run('apt-get', ['--version']);
  } catch {
    return false;
  }
  // Test files look for it at the same time: one installs, the others wait and then find it.
  await run('flock', ['/var/cache/apt', 'sh', '-c', install], { maxBuffer: 64 * 1024 * 1024 });
  return true;
}
