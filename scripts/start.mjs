// What `npm start` runs, on the Node that scripts/install.mjs has installed: npm puts
// node_modules/.bin first into the PATH.
//
// package.json gives Node these flags:
//   --max-semi-space-size=16 (MB): with Node's own choice the service takes 90 MB more under load, and no
//     less CPU time. With 8 MB it takes a fifth more CPU time.
//   --liftoff-only: compiles WebAssembly once, not a second time for speed. The embedded database then
//     takes 232 MB at its peak instead of 768, a first start is faster, and a query takes 10 to 25 % longer.
//   --no-allocation-site-pretenuring: V8 moves the places that make a request's objects to the old space if
//     many are alive at a collection, as under load. In some runs, the hot list then took 295 MB
//     instead of 183, and up to half as much CPU time again.
//   --no-maglev, --no-concurrent-sparkplug: `process.exit()` waits for V8's compiler threads. A thread of
//     these two compilers may wait for a garbage collection, which the main thread no longer runs: of 60
//     servers that were stopped during their first start on a busy machine, 4 hung
//     (https://github.com/nodejs/node/issues/64274). Without them none of 92 did. The benchmark
//     shows no difference beyond its noise.

// Not `import { enableCompileCache }`: Node 20 lacks this export, and would print a SyntaxError before the check below.
import nodeModule from 'node:module';
import { join } from 'node:path';

// Older versions cannot run TypeScript. Somebody started this script without npm.
if (!process.features.typescript) {
  console.error(
    `Node ${process.versions.node} cannot run the service: it does not strip types. Run \`npm start\`, which installs and uses the right version.`,
  );
  process.exit(1);
}

// From the second start on, modules need not be compiled again.
nodeModule.enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));

await import('../apps/server/src/main.ts');
