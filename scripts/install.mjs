// Installs pnpm's workspace from the lockfile, unless it is installed already. It runs before `npm start`,
// `npm run keys` and `npm test`, on any Node from version 20 on.
//
//   node scripts/install.mjs run       the packages of the service and its commands, and Node, unless
//                                      the running Node has the right major version
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
// Corepack reads the checksum after it.
const [pnpmVersion] = packageManager.split('+');
const stampFile = join(root, 'node_modules', '.installed');

// The service, its commands, and the console, which `npm start` builds.
const service = ['server', 'cli', 'console'].flatMap((app) => [
  '--filter-prod',
  `@animal-store/${app}...`,
]);

// The lockfile has the checksum of each package, so most installations trust it. Without this flag, pnpm also
// looks up the release dates of all packages, which is a larger download than the packages that `npm test`
// needs. The scope `all`, which CI uses, does look them up.
const trust = '--trust-lockfile';

/** Each scope includes the ones before it. */
const filters = {
  'run-on-this-node': ['--prod', ...service, trust],
  // Node is a dependency of the root package, and half of the download.
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
// A larger scope that is already installed stays: installing a smaller one would remove packages.
const scope = scopes[Math.max(scopes.indexOf(installedScope), scopes.indexOf(wanted))];

if (scope !== installedScope || hash !== installedHash) {
  // npm prints nothing while it downloads pnpm, which may take minutes on a slow network.
  console.error('Installing packages. This happens once.');
  const home = join('node_modules', `.${pnpmVersion}`);
  const pnpm = join(home, 'node_modules', '.bin', 'pnpm');
  if (!existsSync(join(root, pnpm))) {
    // By a lockfile, because a registry may swap a package: npm compares each with its checksum there before it runs
    // anything of it. Not `npm ci`: the lockfile lacks pnpm's programs for other systems than Linux with glibc.
    mkdirSync(join(root, home), { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(root, 'scripts', 'pnpm', file), join(root, home, file));
    }
    run('npm', ['install', '--prefix', home, '--no-audit', '--no-fund']);
  }
  run(pnpm, ['install', '--frozen-lockfile', ...filters[scope]]);
  linkPnpm(pnpm);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${scope} ${hash}\n`);
}

// npm's scripts begin with `exec`, so that a signal to npm reaches Node: a shell between them would exit
// without forwarding the signal. cmd.exe lacks `exec`, so this adds a command that runs its arguments.
if (process.platform === 'win32') {
  const bin = join(root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'exec.cmd'), '@%*\r\n');
}

function run(command, args) {
  // The progress goes to stderr, because scripts parse the stdout of `npm run keys -- list --json`.
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

/**
 * Links pnpm beside turbo, which runs scripts with it. As a package of the workspace, pnpm would take 70 MB a
 * second time.
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
