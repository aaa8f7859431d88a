import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Timer } from './clock.ts';

type DueTimer = Timer & { dueAt: number; readonly everyMs: number | undefined; run(): unknown };

export type TestClock = ReturnType<typeof createTestClock>;

/**
 * Creates a clock that stands still until a test moves it.
 *
 * @param startMs Unix time. A service starts at that of its database, which has a clock of its own.
 */
export function createTestClock(startMs = Date.UTC(2026, 0, 5, 12)) {
  let elapsedMs = 0;
  let wallMs = startMs;
  const timers = new Set<DueTimer>();
  /** What timers have started. */
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

  /** Of timers that are due at once, the one that was started first. */
  const nextBefore = (end: number) =>
    [...timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];

  return {
    now: () => wallMs,
    elapsed: () => elapsedMs,
    after: (ms, run) => start(ms, run),
    every: (ms, run) => start(ms, run, ms),
    cancel: (timer) => void timers.delete(timer as DueTimer),
    /**
     * Lets time pass, and the timers run that become due, in their order. After each, a turn of the event
     * loop passes, in which it may start others.
     */
    async advance(ms: number): Promise<void> {
      // What was called just before may still start timers.
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
    /** Waits for the work that timers have started, such as a statement. */
    async settled(): Promise<void> {
      while (working.size > 0) await Promise.all(working);
    },
    /** How many timers run. */
    timerCount: () => timers.size,
    /** Lets time pass while no timer can run, as while the event loop is blocked. */
    block: pass,
    /** Sets the wall clock, as somebody who corrects the clock of a machine: no timer notices. */
    setWall(unixMs: number): void {
      wallMs = unixMs;
    },
  } satisfies Clock & Record<string, unknown>;
}

/** Creates a {@link TestClock} at noon of tomorrow (UTC): what is counted by the day is of one day. */
export function createClockAtNoon(): TestClock {
  return createTestClock(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000);
}
