/**
 * A timer of a {@link Clock}. Like a timer of Node, it keeps the process alive until it is
 * cancelled, or until `unref` is called.
 */
export interface Timer {
  unref(): Timer;
}

/** The source of time and timers. Tests pass a fake clock, which they advance themselves. */
export interface Clock {
  /** Returns Unix time in milliseconds. The value jumps when the clock of the machine is set. */
  now(): number;
  /**
   * Returns the milliseconds since an arbitrary start. The value never jumps, so use it to measure
   * durations.
   */
  elapsed(): number;
  /** Calls `run` once, after `ms` milliseconds, or soon if `ms` is negative. */
  after(ms: number, run: () => unknown): Timer;
  /** Calls `run` again and again, every `ms` milliseconds. */
  every(ms: number, run: () => unknown): Timer;
  cancel(timer: Timer | undefined): void;
}

/** Waits for `ms` milliseconds. */
export function sleep(ms: number, clock = systemClock): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** The real clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  // For a negative number, Node would print a warning between the lines of the log.
  after: (ms, run) => setTimeout(run, Math.max(ms, 0)),
  every: (ms, run) => setInterval(run, ms),
  cancel(timer: NodeJS.Timeout | undefined) {
    clearTimeout(timer);
  },
};
