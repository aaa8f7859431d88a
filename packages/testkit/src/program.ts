import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Programs that npm does not provide: their names, the preferred one first, and the package. */
const programs = {
  chromium: {
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    packages: { debian: 'chromium', fedora: 'chromium', alpine: 'chromium', homebrew: 'chromium' },
  },
  curl: {
    names: ['curl'],
    packages: { debian: 'curl', fedora: 'curl', alpine: 'curl', homebrew: 'curl' },
  },
  python: {
    names: ['python3'],
    packages: { debian: 'python3', fedora: 'python3', alpine: 'python3', homebrew: 'python' },
  },
  redis: {
    names: ['redis-server', 'valkey-server'],
    packages: { debian: 'redis-server', fedora: 'valkey', alpine: 'redis', homebrew: 'redis' },
  },
} as const;

export type ProgramName = keyof typeof programs;

const found = new Map<ProgramName, Promise<string>>();

/**
 * Finds a program on the PATH. As root on Debian or Ubuntu it installs a missing program first.
 *
 * @returns its path.
 * @throws an Error that says what to install.
 */
export function findProgram(name: ProgramName): Promise<string> {
  const promise = found.get(name) ?? findOrInstall(name);
  found.set(name, promise);
  return promise;
}

async function findOrInstall(name: ProgramName): Promise<string> {
  const { names, packages } = programs[name];
  const path =
    (await find(names)) ?? ((await install(names, packages.debian)) && (await find(names)));
  if (path) return path;
  const { debian, fedora, alpine, homebrew } = packages;
  throw new Error(
    `The tests run ${names.join(' or ')}, which is not on the PATH. Install it: apt-get install ${debian} (Debian, Ubuntu), dnf install ${fedora} (Fedora), apk add ${alpine} (Alpine), brew install ${homebrew} (macOS).`,
  );
}

async function find(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    try {
      return (await run('sh', ['-c', 'command -v "$0"', name])).stdout.trim();
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** Installs a package. Returns false if this user or system cannot. */
async function install(names: readonly string[], debianPackage: string): Promise<boolean> {
  if (process.getuid?.() !== 0 || (await find(['apt-get'])) === undefined) return false;
  // Test files run in parallel: one installs the package, the others wait.
  const script = `
    for name; do command -v "$name" && exit; done
    apt-get update && apt-get install --yes --no-install-recommends "$0"
  `;
  await run('flock', ['/var/cache/apt', 'sh', '-c', script, debianPackage, ...names], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return true;
}
