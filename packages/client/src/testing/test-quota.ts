import {
  formatRateLimit,
  type Quota,
  type RateLimitStatus,
  type RateLimitWindow,
  windowSeconds,
} from '@animal-store/contract';

/** What a request is told about its quota. */
interface Decision {
  isAdmitted: boolean;
  headers: Record<string, string>;
  /** The window that the headers describe: the one that denied the request, if one did. */
  reported: RateLimitWindow;
}

/** The two windows of the test key, by the clock of `Date`, which a test may fake. */
export interface TestQuota {
  /** Counts a request, if both windows have room. */
  take(): Decision;
  /** Tells what is left, and counts nothing. */
  look(): Decision;
  /** The body of `GET /rate-limit`. */
  status(): RateLimitStatus;
}

/** Creates the windows. As in the service, the first request opens them, and a denied one costs nothing. */
export function createTestQuota({ perMinute, perDay }: Quota): TestQuota {
  const counts = {
    minute: { limit: perMinute, used: 0, endsAtMs: 0 },
    day: { limit: perDay, used: 0, endsAtMs: 0 },
  };
  const names = ['minute', 'day'] as const;

  function windowNow(name: 'minute' | 'day'): RateLimitWindow {
    const now = Date.now();
    const { limit, used, endsAtMs } = counts[name];
    const isOpen = now < endsAtMs;
    const leftMs = isOpen ? endsAtMs - now : windowSeconds[name] * 1000;
    return {
      name,
      limit,
      remaining: isOpen ? limit - used : limit,
      resetAt: Math.ceil((now + leftMs) / 1000),
      resetInSeconds: Math.ceil(leftMs / 1000),
    };
  }

  function describe(isAdmitted: boolean): Decision {
    const minute = windowNow('minute');
    const day = windowNow('day');
    // If both are used up, the one that resets later; otherwise the one with least left.
    const reported =
      day.remaining < minute.remaining || (day.remaining === 0 && day.resetAt > minute.resetAt)
        ? day
        : minute;
    return { isAdmitted, headers: formatRateLimit(reported, [minute, day]), reported };
  }

  return {
    look: () => describe(true),

    status() {
      const windowOf = (name: 'minute' | 'day') => {
        const { limit, remaining, resetAt } = windowNow(name);
        return { limit, remaining, resetsAt: new Date(resetAt * 1000).toISOString() };
      };
      const windows = { minute: windowOf('minute'), day: windowOf('day') };
      return { plan: 'enterprise', subject: 'key', windows, bannedUntil: null, warned: false };
    },

    take() {
      const now = Date.now();
      for (const name of names) {
        const count = counts[name];
        if (now < count.endsAtMs) continue;
        count.used = 0;
        count.endsAtMs = now + windowSeconds[name] * 1000;
      }
      const isAdmitted = names.every((name) => counts[name].used < counts[name].limit);
      if (isAdmitted) for (const name of names) counts[name].used++;
      return describe(isAdmitted);
    },
  };
}
