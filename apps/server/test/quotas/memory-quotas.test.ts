import { afterEach, beforeEach, describe, vi } from 'vitest';
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
});
