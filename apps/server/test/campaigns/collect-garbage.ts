/**
 * Runs a garbage collection when this process receives SIGUSR2, and reports the end of the
 * collection on stdout. All memory that remains is in use. A server loads the module with
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
