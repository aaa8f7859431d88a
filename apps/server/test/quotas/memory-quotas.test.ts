import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryQuotas } from '../../src/quotas/memory-quotas.ts';
import { suiteOptions } from './quota-subject.ts';
import { describeQuotas } from './quota-suite.ts';

describe('in memory', () => {
  beforeEach(() => {
    // Not on a whole second, where rounding would not show.
    vi.useFakeTimers({
      now: 1_800_000_000_321,
      toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'],
    });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  describeQuotas(async () => ({
    quotas: { ...createMemoryQuotas(suiteOptions), close() {} },
    now: () => Date.now(),
    advance: async (ms) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
  }));

  // Regression: on a busy machine the reset of a network was now and then a second later than before.
  test('the window of a network ends when it was told first, however busy the process is', async () => {
    const { networks } = createMemoryQuotas(suiteOptions);
    const resets: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const deciding = networks.take('192.0.2.1');
      vi.setSystemTime(Date.now() + 900);
      resets.push((await deciding).reported.resetAt);
    }
    expect(new Set(resets)).toEqual(new Set([1_800_000_061]));
  });
});
