// Installs the pnpm workspace from the lockfile, unless it is already installed. It runs before `npm start`,
// `npm run keys` and `npm test`, with any Node from version 20 on.
//
//   node scripts/install.mjs run       the packages of the service and its commands. Node is included,
//                                      unless the running Node has the right major version.
//   node scripts/install.mjs develop   also the packages that `npm test` needs
//   node scripts/install.mjs all       also `packages/heavy-tools`, which campaigns need

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// The field `packageManager` ends with a checksum for Corepack. pnpm's version is the part before
// the checksum.
const [pnpmVersion] = packageManager.split('+');
const stampFile = join(root, 'node_modules', '.installed');

// The options with which pnpm installs only the packages of the service, of its commands, and of
// the console. `npm start` builds the console.
const service = ['server', 'cli', 'console'].flatMap((app) => [
  '--filter-prod',
  `@animal-store/${app}...`,
]);

// The option makes pnpm trust the lockfile, which contains a checksum for each package. Without the
// option, pnpm also looks up the release dates of all packages. That download is larger than the
// packages that `npm test` needs. The scope `all`, which CI uses, also looks up the release dates.
const trust = '--trust-lockfile';

/** The pnpm options for each scope. Each scope includes the previous ones. */
const filters = {
  'run-on-this-node': ['--prod', ...service, trust],
  // The scope `run` also installs Node, which is a dependency of the root package. The scope
  // `run-on-this-node` leaves Node out, because the running Node is suitable and Node is half of
  // the download.
  run: ['--prod', '--filter-prod', 'animal-store', ...service, trust],
  develop: ['--filter', '!@animal-store/heavy-tools', trust],
  all: [],
};

const scopes = Object.keys(filters);
const hash = createHash('sha256')
  .update(readFileSync(join(root, 'pnpm-lock.yaml')))
  .digest('hex');
const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').trim() : '';
const [installedScope, installedHash] = stamp.split(' ');
const pinnedNode = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').match(
  /^nodeVersion: (\d+)\./m,
);
const isPinnedNode = process.versions.node.startsWith(`${pinnedNode?.[1]}.`);
const wanted = process.argv[2] === 'run' && isPinnedNode ? 'run-on-this-node' : process.argv[2];
// If a larger scope than the wanted one is installed, the larger scope is kept. Installing a
// smaller scope would remove packages.
const scope = scopes[Math.max(scopes.indexOf(installedScope), scopes.indexOf(wanted))];

if (scope !== installedScope || hash !== installedHash) {
  // The message is printed before npm downloads pnpm, because npm prints nothing during the
  // download. On a slow network, the download takes minutes.
  console.error('Installing packages. This happens once.');
  const home = join('node_modules', `.${pnpmVersion}`);
  const pnpm = join(home, 'node_modules', '.bin', 'pnpm');
  if (!existsSync(join(root, pnpm))) {
    // npm installs pnpm from a lockfile with checksums, so that a compromised registry cannot
    // replace the package. `npm ci` is not used, because the lockfile lacks pnpm's programs for
    // systems other than Linux with glibc: the registry did not have them.
    mkdirSync(join(root, home), { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(root, 'scripts', 'pnpm', file), join(root, home, file));
    }
    run('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', ...unlockedProgram()]);
  }
  run(pnpm, ['install', '--frozen-lockfile', ...filters[scope]]);
  linkPnpm(pnpm);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${scope} ${hash}\n`);
}

// The npm scripts start with `exec`, so that signals reach Node directly. A shell in between would
// exit without forwarding the signal. cmd.exe has no `exec`, so on Windows this script adds a
// command of that name.
if (process.platform === 'win32') {
  const bin = join(root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'exec.cmd'), '@%*\r\n');
}

/**
 * Returns the package with pnpm's program for this platform, as an argument for npm, if the lockfile
 * lacks it. npm 10, which Node 20 and 22 contain, does not install an optional dependency that is
 * missing in a lockfile. pnpm would then have no program to run.
 */
function unlockedProgram() {
  const lockfile = readFileSync(join(root, 'scripts', 'pnpm', 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lockfile);
  const libc = process.platform === 'linux' && !usesGlibc() ? '-musl' : '';
  const name = `@pnpm/exe.${process.platform}-${process.arch}${libc}`;
  const { version, optionalDependencies } = packages['node_modules/pnpm'];
  const isNeeded = name in optionalDependencies && !(`node_modules/${name}` in packages);
  return isNeeded ? [`${name}@${version}`] : [];
}

/** Returns whether Node runs with glibc. Alpine Linux has musl instead. */
function usesGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

function run(command, args) {
  // Progress is printed to stderr, because scripts parse the stdout of commands such as `npm run
  // keys -- list --json`.
  const options = { cwd: root, stdio: ['inherit', 2, 2] };
  // Windows needs a shell to run a `.cmd` file. The command is one string, because Node warns about
  // a list of arguments for a shell (DEP0190). None of these arguments needs quotes.
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync([`${command}.cmd`, ...args].join(' '), { ...options, shell: true })
      : spawnSync(command, args, options);
  if (status === 0) return;
  console.error(`Could not install the packages: ${error?.message ?? `${command} failed.`}`);
  process.exit(1);
}

/**
 * Links pnpm into `node_modules/.bin`, because turbo uses it to run scripts. As a package of the
 * workspace, pnpm would be stored twice and take 70 MB more.
 */
function linkPnpm(pnpm) {
  const bin = join(root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  if (process.platform === 'win32') {
    writeFileSync(join(bin, 'pnpm.cmd'), `@"${join(root, pnpm)}.cmd" %*\r\n`);
    return;
  }
  rmSync(join(bin, 'pnpm'), { force: true });
  symlinkSync(join('..', '..', pnpm), join(bin, 'pnpm'));
}
