import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Timer } from './clock.ts';

type DueTimer = Timer & { dueAt: number; readonly everyMs: number | undefined; run(): unknown };

export type TestClock = ReturnType<typeof createTestClock>;

/**
 * Creates a clock for tests, which advances only when the test advances it.
 *
 * @param startMs the start time, as Unix time in milliseconds.
 */
export function createTestClock(startMs = Date.UTC(2026, 0, 5, 12)) {
  let elapsedMs = 0;
  let wallMs = startMs;
  const timers = new Set<DueTimer>();
  /** The work that timers have started and that has not ended. */
  const working = new Set<Promise<unknown>>();

  function start(ms: number, run: () => unknown, everyMs?: number): Timer {
    const timer = { dueAt: elapsedMs + Math.max(ms, 1), everyMs, run, unref: () => timer };
    timers.add(timer);
    return timer;
  }

  function pass(ms: number): void {
    elapsedMs += ms;
    wallMs += ms;
  }

  /**
   * Returns the first timer that is due at `end` or before. If several timers are due at the same
   * time, it returns the one that was started first.
   */
  const nextBefore = (end: number) =>
    [...timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];

  return {
    now: () => wallMs,
    elapsed: () => elapsedMs,
    after: (ms, run) => start(ms, run),
    every: (ms, run) => start(ms, run, ms),
    cancel: (timer) => void timers.delete(timer as DueTimer),
    /**
     * Advances the time, and runs all timers that become due, the earliest first. After each timer,
     * it waits for an iteration of the event loop, so that the timer's work can start other timers.
     */
    async advance(ms: number): Promise<void> {
      // Code that the test has just called may start its timers only in the next iteration of the
      // event loop. So `advance` waits for one iteration before it runs timers.
      await nextTurn();
      const end = elapsedMs + ms;
      for (let timer = nextBefore(end); timer !== undefined; timer = nextBefore(end)) {
        pass(Math.max(0, timer.dueAt - elapsedMs));
        if (timer.everyMs === undefined) timers.delete(timer);
        else timer.dueAt += timer.everyMs;
        const work = Promise.resolve(timer.run()).finally(() => working.delete(work));
        working.add(work);
        await nextTurn();
      }
      pass(Math.max(0, end - elapsedMs));
      await nextTurn();
    },
    /**
     * Waits until all work that timers have started has ended, such as a statement to a database.
     */
    async settled(): Promise<void> {
      while (working.size > 0) await Promise.all(working);
    },
    /** Returns the number of running timers. */
    timerCount: () => timers.size,
    /** Advances the time without running timers, as if the event loop were blocked. */
    block: pass,
    /** Sets the wall clock, like a correction of a machine's clock. It does not affect timers. */
    setWall(unixMs: number): void {
      wallMs = unixMs;
    },
  } satisfies Clock & Record<string, unknown>;
}

/**
 * Creates a {@link TestClock} that starts at noon of yesterday (UTC), so that no test crosses
 * midnight. It does not start at noon of tomorrow, because the service stores no use of an API key
 * in the future of the database.
 */
export function createClockAtNoon(): TestClock {
  return createTestClock(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000);
}
