// Copies Scalar's standalone file from its package, compressed, to where the server finds it without
// that package. First `node scripts/install.mjs all`, then: npm --prefix apps/server run copy-scalar

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tools } from '@animal-store/heavy-tools';

const bundle = readFileSync(tools.scalar);
writeFileSync(new URL('reference/scalar.js.gz', import.meta.url), gzipSync(bundle, { level: 9 }));
