import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemoryKeyLimiter } from '../../src/quotas/memory-key-limiter.ts';
import { createMemoryQuotas } from '../../src/quotas/memory-quotas.ts';
import { createTestClock } from '../support/test-clock.ts';
import { quotaOptions } from './quota-options.ts';
import { startMs } from './quota-sequences.ts';
import { testQuotas } from './quota-suite.ts';

describe('in memory', () => {
  testQuotas(async ({ now, onBan }) => ({
    ...createMemoryQuotas({ ...quotaOptions(now), onBan }),
    close() {},
  }));

  /** The library counts the minute of a network by the clock of the process. */
  function useFakeTime() {
    vi.useFakeTimers({ now: startMs, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    return createMemoryQuotas(quotaOptions());
  }

  test('the window of a network ends a minute after its first request', async () => {
    const { networks } = useFakeTime();
    const take = () => networks.take('192.0.2.1');
    for (let i = 0; i < 60; i += 1) await take();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(await take()).toMatchObject({ outcome: 'denied', retryAfterSeconds: 1 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await take()).toMatchObject({ outcome: 'admitted', reported: { remaining: 59 } });
  });

  // Regression: on a busy machine the reset of a network was now and then a second later than before.
  test('the window of a network ends when it was told first, however busy the process is', async () => {
    const { networks } = useFakeTime();
    const resets: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const deciding = networks.take('192.0.2.1');
      vi.setSystemTime(Date.now() + 900);
      resets.push((await deciding).reported.resetAt);
    }
    expect(new Set(resets)).toEqual(new Set([1_800_000_061]));
  });

  test('as insurance, the limiter admits its share of both limits, rounded up, to all keys of an account together', async () => {
    const { banPolicy } = quotaOptions();
    const options = { clock: createTestClock(startMs), banPolicy, replicas: () => 3 };
    const limiter = new MemoryKeyLimiter({ ...options, scope: 'replica' });
    const quota = { perMinute: 10, perDay: 100 };
    const outcomes: unknown[] = [];
    for (let i = 0; i < 5; i += 1) {
      const asked = limiter.consume('account', 1, { id: `key ${i}`, quota });
      const { outcome, scope, windows } = await asked.catch((denied) => denied);
      outcomes.push([outcome, scope, ...windows.map(({ limit }: { limit: number }) => limit)]);
    }
    const told = (outcome: string) => [outcome, 'replica', 4, 34];
    expect(outcomes).toEqual([...Array(4).fill(told('admitted')), told('denied')]);
  });
});
