// Copies Node and the shared libraries that it loads into a directory, which becomes the root of the image. The
// first stage of the Dockerfile runs it.
//
//   node collect-runtime.mjs /runtime

import { chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('usage: node collect-runtime.mjs <directory>');

function copy(from, to) {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(from, join(root, to));
}

copy(process.execPath, '/usr/local/bin/node');
// Each library keeps its path. Node's report also lists linux-vdso.so, but without a path. It is
// not copied, because the kernel provides it.
for (const library of process.report.getReport().sharedObjects) {
  if (library.startsWith('/') && library !== process.execPath) copy(library, library);
}

// Version 1.0 had the CLI at this path, so scripts may still run `docker exec <container> node
// apps/server/src/cli.ts keys list`. This program creates the file, because the final image has no
// shell.
const sources = join(root, 'animal-store/apps/server/src');
mkdirSync(sources, { recursive: true });
writeFileSync(join(sources, 'cli.ts'), "import '../../cli/src/cli.ts';\n");

// The mount point for the volume of the embedded database. The user of the service (1000) must own
// it.
mkdirSync(join(root, 'data'), { mode: 0o700 });
chownSync(join(root, 'data'), 1000, 1000);
