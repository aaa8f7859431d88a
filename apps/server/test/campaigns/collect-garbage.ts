/**
 * Collects the garbage of this process when it receives SIGUSR2, and reports this on stdout. The
 * memory that remains after that is in use. A server loads the module with
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
