import {
  describeWindow,
  type ExactWindow,
  formatRateLimit,
  type Quota,
  type RateLimitStatus,
  type RateLimitWindow,
  reportedWindow,
  type WindowName,
} from '@animal-store/contract';

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

/**
 * Creates the two windows. As in the service, the first request opens them, and a denied request is
 * not counted.
 */
export function createTestQuota({ perMinute, perDay }: Quota): TestQuota {
  const limits = { minute: perMinute, day: perDay };
  const counts = { minute: { used: 0, endsAtMs: 0 }, day: { used: 0, endsAtMs: 0 } };

  function windowNow(name: WindowName): ExactWindow {
    const now = Date.now();
    if (now >= counts[name].endsAtMs) counts[name] = { used: 0, endsAtMs: 0 };
    return describeWindow(name, limits[name], counts[name], now);
  }

  const windowsNow = () => [windowNow('minute'), windowNow('day')] as const;
  const isOpen = () => windowsNow().every(({ remaining }) => remaining > 0);

  function describe(isAdmitted: boolean): Decision {
    const windows = windowsNow();
    const reported = reportedWindow(windows, isAdmitted);
    return { isAdmitted, headers: formatRateLimit(reported, windows), reported };
  }

  return {
    look: () => describe(isOpen()),

    status() {
      const windowOf = (name: WindowName) => {
        const { limit, remaining, resetAt } = windowNow(name);
        return { limit, remaining, resetsAt: new Date(resetAt * 1000).toISOString() };
      };
      const windows = { minute: windowOf('minute'), day: windowOf('day') };
      return { plan: 'enterprise', subject: 'key', windows, bannedUntil: null, warned: false };
    },

    take() {
      const isAdmitted = isOpen();
      if (isAdmitted) {
        for (const { name, endsAtMs } of windowsNow()) {
          counts[name] = { used: counts[name].used + 1, endsAtMs };
        }
      }
      return describe(isAdmitted);
    },
  };
}
