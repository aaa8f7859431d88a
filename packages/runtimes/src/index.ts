import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// A package of its own, because three of these bring a command named `node`, which would run the
// scripts of whatever package depends on them.

const require = createRequire(import.meta.url);

/** Paths of the executables. */
export const runtimes = {
  'Node 20': executable(require.resolve('node20/package.json'), 'bin/node'),
  'Node 22': executable(require.resolve('node22/package.json'), 'bin/node'),
  'Node 26': executable(require.resolve('node26/package.json'), 'bin/node'),
  Deno: executable(require.resolve('deno/package.json'), 'deno'),
  Bun: executable(require.resolve('bun/package.json'), 'bin/bun.exe'),
  workerd: executable(require.resolve('workerd/package.json'), 'bin/workerd'),
} as const;

function executable(manifest: string, path: string): string {
  return join(dirname(manifest), path);
}
