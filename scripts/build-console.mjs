// Builds the operators' console before `npm start`, unless the last build is newer than the
// sources. A build takes about two seconds.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const app = join(root, 'apps/console');
const page = join(app, 'dist/index.html');

const sources = [
  ...['pnpm-lock.yaml', 'tsconfig.json'].map((file) => join(root, file)),
  ...['index.html', 'tsconfig.json', 'vite.config.ts'].map((file) => join(app, file)),
  ...['apps/console', 'packages/admin-contract', 'packages/contract'].flatMap((folder) => {
    const src = join(root, folder, 'src');
    return readdirSync(src, { recursive: true }).map((file) => join(src, file));
  }),
];

if (!existsSync(page) || sources.some((file) => modifiedAt(file) > modifiedAt(page))) {
  const vite = join(app, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'warn'];
  const { status, error } = spawnSync(process.execPath, args, {
    cwd: app,
    // The build prints to stderr, because stdout of `npm start` contains only the banner.
    stdio: ['ignore', 2, 2],
  });
  // A failed build does not stop `npm start`, because the service also works without the console.
  if (status !== 0)
    console.error(
      `The console could not be built. The service starts without it. ${error?.message ?? ''}`,
    );
}

function modifiedAt(file) {
  return statSync(file).mtimeMs;
}
