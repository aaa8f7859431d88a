import { existsSync } from 'node:fs';

/**
 * Blocks this process after a SIGINT until a file exists, and 10 s pass meanwhile by its monotonic clock.
 * For `NODE_OPTIONS=--import=file:///…/block-after-signal.ts?until=/tmp/…`.
 */
const file = new URL(import.meta.url).searchParams.get('until') ?? '';
const { now } = performance;
const pause = new Int32Array(new SharedArrayBuffer(4));

process.once('SIGINT', () => {
  setImmediate(() => {
    process.stderr.write('The event loop is blocked.\n');
    while (!existsSync(file)) Atomics.wait(pause, 0, 0, 5);
    performance.now = () => now.call(performance) + 10_000;
  });
});
