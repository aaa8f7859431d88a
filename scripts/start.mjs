// Starts the service for `npm start`, on the Node that scripts/install.mjs has installed: npm puts
// node_modules/.bin first in the PATH.
//
// package.json gives Node one flag, `--max-semi-space-size=16` (MB): the space for young objects. With Node's
// own choice, the service takes more memory under load and no less CPU time.

// Not `import { enableCompileCache }`: Node 20 lacks this export, and would print a SyntaxError before the check below.
import nodeModule from 'node:module';
import { join } from 'node:path';

// An older Node runs this script if somebody starts it without npm. It cannot run TypeScript.
if (!process.features.typescript) {
  console.error(
    `Node ${process.versions.node} cannot run the service: it does not strip types. Run \`npm start\`, which installs and uses the right version.`,
  );
  process.exit(1);
}

// With this cache, modules are compiled at the first start only.
nodeModule.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));

await import('../apps/server/src/main.ts');
