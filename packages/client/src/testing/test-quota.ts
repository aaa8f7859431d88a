import {
  defaultBanPolicy,
  formatRateLimit,
  type RateLimitStatus,
  type RateLimitWindow,
} from '@animal-store/contract';
import { decide, notBanned, unused, withoutExpired } from '@animal-store/quotas/decide';
import { describeWindow, type Quota, reportedWindow } from '@animal-store/quotas/quota';

/** The decision about one request, and the quota state for its response. */
interface Decision {
  isAdmitted: boolean;
  headers: Record<string, string>;
  /**
   * The window that the headers describe. For a denied request, it is the window that denied it.
   */
  reported: RateLimitWindow;
}

/**
 * The minute and day windows of the test key. They follow the clock of `Date`, which a test can
 * fake.
 */
export interface TestQuota {
  /** Counts a request if both windows have requests left. */
  take(): Decision;
  /** Returns the quota state without counting a request. */
  look(): Decision;
  /** Returns the body of `GET /rate-limit`. */
  status(): RateLimitStatus;
}

/** The test service bans nobody, so that a test of 429 responses needs no unban. */
const banPolicy = { ...defaultBanPolicy, minStrikes: 0 };

/**
 * Creates the two windows. They count requests with the function `decide`, which the real service
 * also uses when it has no Redis.
 */
export function createTestQuota(quota: Quota): TestQuota {
  let state = { counts: unused, ban: notBanned };

  function windowsAt(now: number) {
    const { minute, day } = withoutExpired(state, banPolicy, now).counts;
    return [
      describeWindow('minute', quota.perMinute, minute, now),
      describeWindow('day', quota.perDay, day, now),
    ] as const;
  }

  function describe(isAdmitted: boolean, now: number): Decision {
    const windows = windowsAt(now);
    const reported = reportedWindow(windows, isAdmitted);
    return { isAdmitted, headers: formatRateLimit(reported, windows), reported };
  }

  return {
    take() {
      const now = Date.now();
      const decided = decide(state, { quota, banPolicy }, now);
      state = decided.state;
      return describe(decided.outcome === 'admitted', now);
    },

    look() {
      const now = Date.now();
      const isOpen = windowsAt(now).every(({ remaining }) => remaining > 0);
      return describe(isOpen, now);
    },

    status() {
      const entries = windowsAt(Date.now()).map(({ name, limit, remaining, resetAt }) => [
        name,
        { limit, remaining, resetsAt: new Date(resetAt * 1_000).toISOString() },
      ]);
      const windows = Object.fromEntries(entries) as RateLimitStatus['windows'];
      return { plan: 'enterprise', subject: 'key', windows, bannedUntil: null, warned: false };
    },
  };
}
