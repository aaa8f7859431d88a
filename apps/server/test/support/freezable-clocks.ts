import { replaceDate } from './replace-date.ts';

/**
 * Stops this process's clocks at a signal, the monotonic one and the wall clock, so that no cache entry
 * expires and no quota window in memory ends. Timers go on. For
 * `NODE_OPTIONS=--import=file:///…/freezable-clocks.ts?at=SIGUSR2`.
 */
process.once(new URL(import.meta.url).searchParams.get('at') ?? '', () => {
  const elapsedMs = performance.now();
  performance.now = () => elapsedMs;
  const unixMs = Date.now();
  replaceDate(() => unixMs);
  process.stderr.write(`The clocks are frozen at ${unixMs}.\n`);
});
