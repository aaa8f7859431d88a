import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestQuotas, startMs } from './open-test-quotas.ts';

// rate-limiter-flexible counts the minute of an allowance by the clock of the process, so this test
// fakes that clock.
test('the quota window of a network ends a minute after its first request, even when the process is busy', async () => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { networks } = await openTestQuotas();
  const take = () => networks.take('192.0.2.1');
  const resets = new Set<number>();
  for (let i = 0; i < 60; i += 1) {
    const deciding = take();
    // The clock advances by 900 ms before the result is handled, as if the process were busy.
    vi.setSystemTime(Date.now() + 900);
    resets.add((await deciding).reported.resetAt);
  }
  expect([...resets]).toEqual([1_800_000_061]);
  await vi.advanceTimersByTimeAsync(startMs + 59_000 - Date.now());
  expect(await take()).toMatchObject({ outcome: 'denied', retryAfterSeconds: 1 });
  const left = () => networks.peek('192.0.2.1').reported.remaining;
  expect(left()).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(left()).toBe(60);
  expect(await take()).toMatchObject({ outcome: 'admitted', reported: { remaining: 59 } });
});
