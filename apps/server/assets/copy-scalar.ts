// Copies Scalar's standalone file from its package, compressed, to where the server finds it without
// that package: pnpm --filter @animal-store/server run copy-scalar

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const bundle = readFileSync(
  new URL('../node_modules/@scalar/api-reference/dist/browser/standalone.js', import.meta.url),
);
writeFileSync(new URL('reference/scalar.js.gz', import.meta.url), gzipSync(bundle, { level: 9 }));
