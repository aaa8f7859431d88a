import { beforeEach, expect, vi } from 'vitest';

type FakeTimers = NonNullable<Parameters<typeof vi.useFakeTimers>[0]>;

/**
 * Installs a fake clock in each test of a file. Also makes `Math.random` always return the same
 * number.
 */
export function useFakeClock({ random = 0.5, ...timers }: FakeTimers & { random?: number } = {}) {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), ...timers });
    vi.spyOn(Math, 'random').mockReturnValue(random);
  });
}

/** The real `setImmediate`. The fake clock replaces the global function. */
const nextTurn = globalThis.setImmediate;

/**
 * Advances the fake clock until the call has ended and no timer is left. Returns the call.
 *
 * One run of the timers is not enough, because a call may do real I/O before it sets a timer.
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
