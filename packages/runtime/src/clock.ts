/** A timer of a {@link Clock}. It keeps the process alive until it is cancelled or unreferenced. */
export interface Timer {
  unref(): Timer;
}

/** The source of time and timers. Tests pass a clock that moves when they decide. */
export interface Clock {
  /** Unix time in milliseconds. It jumps when somebody sets the clock of the machine. */
  now(): number;
  /** Milliseconds since an arbitrary start. It never jumps, so use it to measure durations. */
  elapsed(): number;
  /** Calls `run` once, after `ms`. */
  after(ms: number, run: () => unknown): Timer;
  /** Calls `run` repeatedly, each time after `ms`. */
  every(ms: number, run: () => unknown): Timer;
  cancel(timer: Timer | undefined): void;
}

/** Waits for `ms`. */
export function sleep(ms: number, clock = systemClock): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, run) => setTimeout(run, ms),
  every: (ms, run) => setInterval(run, ms),
  cancel(timer: NodeJS.Timeout | undefined) {
    clearTimeout(timer);
  },
};
