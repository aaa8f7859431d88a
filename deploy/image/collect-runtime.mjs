// Copies Node and the shared libraries that it has loaded into a directory, which becomes the root
// of the image. It runs in the first stage of the Dockerfile.
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
// The libraries keep the paths where the loader found them, except the kernel's own
// (linux-vdso.so), which is not a file.
for (const library of process.report.getReport().sharedObjects) {
  if (library.startsWith('/') && library !== process.execPath) copy(library, library);
}

// In 1.0, commands such as `docker exec <container> node apps/server/src/cli.ts keys list` used
// this path. It is written here, because the base may lack `mkdir`.
const sources = join(root, 'animal-store/apps/server/src');
mkdirSync(sources, { recursive: true });
writeFileSync(join(sources, 'cli.ts'), "import '../../cli/src/cli.ts';\n");

// A volume for the embedded database is mounted here. The user of the service owns it.
mkdirSync(join(root, 'data'), { mode: 0o700 });
chownSync(join(root, 'data'), 1000, 1000);
