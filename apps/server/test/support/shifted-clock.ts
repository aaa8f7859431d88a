import { replaceDate } from './replace-date.ts';

/**
 * Shifts this process's wall clock by as many milliseconds as its own address says:
 * `NODE_OPTIONS=--import=file:///…/shifted-clock.ts?ms=300000`. The monotonic clock and timers are not
 * shifted, as on a machine whose clock is wrong.
 */
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));

const realNow = Date.now;
replaceDate(() => realNow() + shiftMs);
