// Runs before `npm start`, `npm run keys` and `npm test`, on whatever Node ≥ 20 the machine has: puts pnpm's
// workspace in place, from the lockfile, and does nothing when it is there already.
//
//   node scripts/install.mjs run       what running the service and its commands needs; Node too, unless
//                                      this one has the right major version
//   node scripts/install.mjs develop   that, and what `npm test` needs
//   node scripts/install.mjs all       that, and `packages/heavy-tools`, which campaigns need

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stampFile = join(root, 'node_modules', '.installed');

// The service, its commands, and the console, which `npm start` builds.
const service = ['server', 'cli', 'console'].flatMap((app) => [
  '--filter-prod',
  `@animal-store/${app}...`,
]);

// The lockfile has the checksum of each package. Without this flag, pnpm also looks up the release dates of
// all 842: more to download than what `npm test` needs. It does so for the long tests, as CI runs them, and
// whenever a dependency changes.
const trust = '--trust-lockfile';

/** Each scope includes the ones before it. */
const filters = {
  'run-on-this-node': ['--prod', ...service, trust],
  // Node is a dependency of the root, and half of what is downloaded.
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
const isThisNodeRight = process.versions.node.startsWith(`${pinnedNode?.[1]}.`);
const wanted = process.argv[2] === 'run' && isThisNodeRight ? 'run-on-this-node' : process.argv[2];
// What is installed stays: installing a smaller scope would remove it.
const scope = scopes[Math.max(scopes.indexOf(installedScope), scopes.indexOf(wanted))];

if (scope !== installedScope || hash !== installedHash) {
  // npm is silent while it downloads pnpm, which takes long on a slow network.
  console.error('Installing packages. This happens once.');
  const home = join('node_modules', `.${packageManager}`);
  const pnpm = join(home, 'node_modules', '.bin', 'pnpm');
  if (!existsSync(join(root, pnpm))) {
    run('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', packageManager]);
  }
  run(pnpm, ['install', '--frozen-lockfile', ...filters[scope]]);
  linkPnpm(pnpm);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${scope} ${hash}\n`);
}

// npm's scripts begin with `exec`, so that a signal to npm reaches Node: a shell between them would end
// without passing it on. cmd.exe has no such command, and needs none.
if (process.platform === 'win32') {
  const bin = join(root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'exec.cmd'), '@%*\r\n');
}

function run(command, args) {
  // What the command prints is progress: the output of `npm run keys -- list --json` is for a script.
  const options = { cwd: root, stdio: ['inherit', 2, 2] };
  // Windows needs a shell for a `.cmd` file. Node warns if a shell gets a list of arguments (DEP0190); none of these
  // arguments needs quoting.
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync([`${command}.cmd`, ...args].join(' '), { ...options, shell: true })
      : spawnSync(command, args, options);
  if (status === 0) return;
  console.error(`Could not install the packages: ${error?.message ?? `${command} failed.`}`);
  process.exit(1);
}

/** Turbo runs scripts by the pnpm that it finds beside itself. Not a package of the workspace: 70 MB twice. */
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
