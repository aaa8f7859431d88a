import { defaultBanPolicy } from '@animal-store/contract';
import { systemClock } from '../../src/shared/clock.ts';
import { defaultTimings } from '../../src/shared/timings.ts';

/** The options of quotas under test. @param now what tells the time to decide by. */
export const quotaOptions = (now = Date.now) => ({
  clock: { ...systemClock, now, elapsed: now },
  timings: defaultTimings.quotas,
  addressPerMinute: 60,
  banPolicy: defaultBanPolicy,
});
