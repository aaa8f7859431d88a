import { beforeEach, expect, vi } from 'vitest';

type FakeTimers = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;

/** Lets the clock of each test of a file stand still, and `Math.random` always give the same. */
export function useFakeClock({ random = 0.5, ...timers }: FakeTimers & { random?: number } = {}) {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), ...timers });
    vi.spyOn(Math, 'random').mockReturnValue(random);
  });
}

/** Lets the clock run until nothing waits any more, and tells how the call ended. */
export async function settle<T>(call: Promise<T>): Promise<T> {
  const settled = Promise.allSettled([call]);
  await vi.runAllTimersAsync();
  await settled;
  expect(vi.getTimerCount()).toBe(0);
  return call;
}
