// Runs before `npm start`, `npm run keys` and `npm test`, on whatever Node ≥ 20 the machine has: puts pnpm's
// workspace in place, from the lockfile, and does nothing when it is there already.
//
//   node scripts/install.mjs run       what running the service and its commands needs
//   node scripts/install.mjs develop   that, and all tools for tests

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stampFile = join(root, 'node_modules', '.installed');

// Tools that are there stay there: a production install would remove them.
const hasTools = existsSync(join(root, 'node_modules', '.bin', 'turbo'));
const scope = process.argv[2] === 'run' && !hasTools ? 'run' : 'develop';

const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'));
const stamp = `${scope} ${createHash('sha256').update(lockfile).digest('hex')}\n`;

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  const filter = scope === 'run' ? ['--prod', '--filter-prod', '@animal-store/server...'] : [];
  const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
  const { status, error } = spawnSync(
    npx,
    ['--yes', packageManager, 'install', '--frozen-lockfile', ...filter],
    // What it says is progress: the output of `npm run keys -- list --json` is for a script.
    { cwd: root, stdio: ['inherit', 2, 2], shell: process.platform === 'win32' },
  );
  if (status !== 0) {
    console.error(
      `Could not install the packages: ${error?.message ?? `${packageManager} failed.`}`,
    );
    process.exit(1);
  }
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}
