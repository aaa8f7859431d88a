import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Kills this process when PGlite has opened so many files of its database, as its own address says:
 * `NODE_OPTIONS=--import=file:///…/die-half-way.ts?files=30`.
 */
const files = Number(new URL(import.meta.url).searchParams.get('files'));
const { openSync } = fs;
let opened = 0;

fs.openSync = (path, ...rest) => {
  if (String(path).includes('/postgres/')) opened += 1;
  if (opened === files) process.kill(process.pid, 'SIGKILL');
  return openSync(path, ...rest);
};
syncBuiltinESMExports();
