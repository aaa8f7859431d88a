/**
 * Collects this process's garbage whenever it gets SIGUSR2, and reports this on stdout. The
 * remaining memory is then in use. The module is loaded by
 * `NODE_OPTIONS=--import=file:///…/collect-garbage.ts`.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('Garbage is collected.\n');
});
