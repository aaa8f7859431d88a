import { beforeEach, expect, vi } from 'vitest';

type FakeTimers = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;

/** Stops the clock in each test of a file, and makes `Math.random` always return the same. */
export function useFakeClock({ random = 0.5, ...timers }: FakeTimers & { random?: number } = {}) {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), ...timers });
    vi.spyOn(Math, 'random').mockReturnValue(random);
  });
}

/** Runs the clock until nothing waits any more, and returns how the call ended. */
export async function settle<T>(call: Promise<T>): Promise<T> {
  const settled = Promise.allSettled([call]);
  await vi.runAllTimersAsync();
  await settled;
  expect(vi.getTimerCount()).toBe(0);
  return call;
}
