// Starts the service for `npm start`, on the Node that scripts/install.mjs has installed. npm puts
// node_modules/.bin first in the PATH, so `node` is this Node.
//
// package.json passes the flag `--no-allocation-site-pretenuring` to Node. Without the flag, V8
// sometimes allocates the objects of requests in its old space, where only a full garbage collection
// deletes them. About one process in twenty then takes 1.4 times the CPU time and 60 MB more memory
// until it is restarted. apps/bench/experiments.md has the measurement.

// `node:module` is imported as a whole. Node 20 has no export `enableCompileCache`, and a named
// import would fail with a SyntaxError before the check below.
import { readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';

// Without npm, this script may run on the system's Node, which may be too old for the syntax of the
// service. The import below would then fail with a SyntaxError that does not say what to do. Node 22
// runs TypeScript, too, but not `await using`.
const settings = readFileSync(join(import.meta.dirname, '..', 'pnpm-workspace.yaml'), 'utf8');
const [, neededMajor] = /^nodeVersion: (\d+)\./m.exec(settings);
if (Number.parseInt(process.versions.node, 10) < Number(neededMajor)) {
  console.error(
    `Node ${process.versions.node} cannot run the service, which needs Node ${neededMajor}. Run \`npm start\`, which installs and uses the right version.`,
  );
  process.exit(1);
}

// The cache makes later starts faster, because modules are compiled only at the first start.
nodeModule.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));

await import('../apps/server/src/main.ts');
