// Runs before a package is packed. npm would leave `catalog:` and `workspace:` in the manifest, and
// ignore `publishConfig` and `.pnpmfile.mjs`; the tarball could not be installed.

import { basename } from 'node:path';

// Not `npm_config_user_agent`: below `pnpm run`, npm keeps pnpm's.
if (basename(process.env.npm_execpath ?? '') === 'npm-cli.js') {
  console.error('Pack it with pnpm: npm exec pnpm pack');
  process.exit(1);
}
