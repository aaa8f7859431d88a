/**
 * Collects this process's garbage whenever it gets SIGUSR2, and says so on stdout: what is left is
 * what it holds on to. Loaded by `NODE_OPTIONS=--import=file:///…/collect-garbage.ts`.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('Garbage is collected.\n');
});
