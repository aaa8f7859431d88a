import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackDebianPackage } from './debian-packages.ts';
import { repository } from './repository.ts';

const run = promisify(execFile);

interface Program {
  /** The names of the program. The preferred name comes first. */
  readonly names: readonly string[];
  /**
   * The names of the package in Debian, Fedora, Alpine and Homebrew. If there is a single name, all
   * four systems use it.
   */
  readonly packages: string;
  /**
   * Whether the program works without the dependencies of its Debian package, so that they need not
   * be downloaded.
   */
  readonly alone?: boolean;
  /**
   * Whether the program works only if its Debian package is installed, and not if the package is
   * only unpacked. The installation needs root.
   */
  readonly isInstalled?: boolean;
}

/** The programs that the tests need and npm does not provide. */
const programs = {
  chromium: {
    // `chromium-headless-shell` is Chromium without windows. It opens a tab three times as fast as
    // a normal browser.
    names: [
      ...['chromium-headless-shell', 'chromium', 'chromium-browser'],
      ...['google-chrome', 'google-chrome-stable'],
    ],
    packages: 'chromium-headless-shell chromium chromium chromium',
    // Debian's package of Chromium contains absolute paths, and needs fonts and their
    // configuration. So Chromium does not work if the package is only unpacked.
    isInstalled: true,
  },
  curl: { names: ['curl'], packages: 'curl' },
  go: { names: ['go'], packages: 'golang-go golang go go' },
  promtool: {
    names: ['promtool'],
    packages: 'prometheus golang-github-prometheus prometheus prometheus',
    alone: true,
  },
  python: { names: ['python3'], packages: 'python3 python3 python3 python' },
  redis: { names: ['redis-server', 'valkey-server'], packages: 'redis-server valkey redis redis' },
} as const satisfies Record<string, Program>;

type ProgramName = keyof typeof programs;

/** The directory of the unpacked packages. */
const cache = `${repository}node_modules/.cache/programs/`;

const found = new Map<ProgramName, Promise<string>>();

/**
 * Finds a program on the PATH. On Debian or Ubuntu, a missing program is downloaded and unpacked.
 *
 * @returns the path of the program.
 * @throws an Error that says what to install.
 */
export function findProgram(name: ProgramName): Promise<string> {
  const promise = found.get(name) ?? findOrUnpack(name);
  found.set(name, promise);
  return promise;
}

async function findOrUnpack(name: ProgramName): Promise<string> {
  const { names, packages, alone = false, isInstalled }: Program = programs[name];
  const [debian = '', fedora = debian, alpine = debian, homebrew = debian] = packages.split(' ');
  const there = await find(names);
  if (there !== undefined) return there;
  let cause: unknown;
  try {
    const directory = isInstalled
      ? await install(names, debian)
      : await unpackDebianPackage(debian, join(cache, name), { alone });
    const unpacked = await find(names, directory);
    if (unpacked !== undefined) return unpacked;
  } catch (error) {
    cause = error;
  }
  throw new Error(
    `The tests run ${names.join(' or ')}, which is not on the PATH. Install it: apt-get install ${debian} (Debian, Ubuntu), dnf install ${fedora} (Fedora), apk add ${alpine} (Alpine), brew install ${homebrew} (macOS).`,
    { cause },
  );
}

/** Searches for a program on the PATH, and in a directory. */
async function find(names: readonly string[], directory = ''): Promise<string | undefined> {
  for (const name of names) {
    try {
      const script = 'command -v "$0" || command -v "$1/$0"';
      return (await run('sh', ['-c', script, name, directory])).stdout.trim();
    } catch {
      // No program on the PATH has this name, so the next name is tried.
    }
  }
  return undefined;
}

/** Installs a package if this process runs as root. */
async function install(names: readonly string[], debianPackage: string): Promise<string> {
  if (process.getuid?.() !== 0)
    throw new Error('This process must run as root to install packages.');
  // Test files run in parallel. With `flock`, one of them installs the package, and the others wait
  // for it.
  const script = `
    for name; do command -v "$name" && exit; done
    apt-get update && apt-get install --yes --no-install-recommends "$0"
  `;
  await run('flock', ['/var/cache/apt', 'sh', '-c', script, debianPackage, ...names], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return '/usr/bin';
}
