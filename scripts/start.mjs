// What `npm start` runs, on the Node that scripts/install.mjs has installed: npm puts
// node_modules/.bin first into the PATH.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Older versions cannot run TypeScript. Somebody started this script without npm.
if (!process.features.typescript) {
  console.error('Start the service with: npm start');
  process.exit(1);
}

// From the second start on, modules need not be compiled again.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));

await import('../apps/server/src/main.ts');
