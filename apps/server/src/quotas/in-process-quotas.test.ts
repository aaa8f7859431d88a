import { afterEach, beforeEach, describe, vi } from 'vitest';
import { createInProcessQuotas } from './in-process-quotas.ts';
import { describeQuotas, suiteOptions } from './quota-suite.ts';

describe('in process', () => {
  beforeEach(() => {
    // Not on a whole second, where rounding would not show.
    vi.useFakeTimers({ now: 1_800_000_000_321, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  describeQuotas(async () => ({
    quotas: createInProcessQuotas(suiteOptions),
    now: () => Date.now(),
    advance: async (ms) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
  }));
});
