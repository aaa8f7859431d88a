import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Timer } from './clock.ts';

type DueTimer = Timer & { dueAt: number; readonly everyMs: number | undefined; run(): unknown };

export type TestClock = ReturnType<typeof createTestClock>;

/**
 * Creates a clock that stands still until a test moves it.
 *
 * @param startMs Unix time. A service starts at the time of its database, which has its own clock.
 */
export function createTestClock(startMs = Date.UTC(2026, 0, 5, 12)) {
  let elapsedMs = 0;
  let wallMs = startMs;
  const timers = new Set<DueTimer>();
  /** The work that timers have started. */
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

  /** Returns the next timer. If several are due at once, it is the one that was started first. */
  const nextBefore = (end: number) =>
    [...timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];

  return {
    now: () => wallMs,
    elapsed: () => elapsedMs,
    after: (ms, run) => start(ms, run),
    every: (ms, run) => start(ms, run, ms),
    cancel: (timer) => void timers.delete(timer as DueTimer),
    /**
     * Advances the time, and runs the timers that become due, in their order. After each, a turn of
     * the event loop passes, in which the timer may start others.
     */
    async advance(ms: number): Promise<void> {
      // Code that has just been called may still start timers.
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
    /** Waits for work that timers have started, such as a statement. */
    async settled(): Promise<void> {
      while (working.size > 0) await Promise.all(working);
    },
    /** The number of running timers. */
    timerCount: () => timers.size,
    /** Advances the time while no timer can run, as if the event loop were blocked. */
    block: pass,
    /**
     * Sets the wall clock, as when somebody corrects the clock of a machine. Timers do not notice.
     */
    setWall(unixMs: number): void {
      wallMs = unixMs;
    },
  } satisfies Clock & Record<string, unknown>;
}

/**
 * Creates a {@link TestClock} that starts at noon of tomorrow (UTC), so that everything counted by
 * the day is on one day.
 */
export function createClockAtNoon(): TestClock {
  return createTestClock(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000);
}
