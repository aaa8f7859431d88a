import { beforeEach, expect, vi } from 'vitest';

type FakeTimers = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;

/** Stops the clock in each test of a file, and makes `Math.random` always return the same. */
export function useFakeClock({ random = 0.5, ...timers }: FakeTimers & { random?: number } = {}) {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), ...timers });
    vi.spyOn(Math, 'random').mockReturnValue(random);
  });
}

/** The real one, because the fake clock replaces it. */
const nextTurn = globalThis.setImmediate;

/**
 * Runs the clock until the call has ended and nothing waits any more, and returns how it ended. A
 * call may do something that the clock does not control before it sets its timers.
 */
export async function settle<T>(call: Promise<T>): Promise<T> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  call.then(end, end);
  while (!hasEnded) {
    await vi.runAllTimersAsync();
    await new Promise<void>((resolve) => {
      nextTurn(resolve);
    });
  }
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
  return call;
}
