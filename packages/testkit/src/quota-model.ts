import type { BanPolicy, Quota, RateLimitWindow } from '@animal-store/contract';

/** What callers see of a decision. */
export interface ModelDecision {
  readonly outcome: 'admitted' | 'denied' | 'banned';
  /** The most restrictive window. */
  readonly reported: RateLimitWindow;
  readonly windows: readonly RateLimitWindow[];
  readonly retryAfterSeconds: number;
  readonly warned: boolean;
}

/**
 * The quotas of one key, written as simply as possible. The limiters are compared with it. It follows
 * the design, shares no code with the limiters, and knows no store, script or timer.
 */
export interface QuotaModel {
  /** Decides one request. Unix time in milliseconds, which never goes back. */
  take(quota: Quota, now: number): ModelDecision;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A count in a fixed window, which the first that is counted opens. */
interface Count {
  readonly used: number;
  readonly endsAt: number;
}

export function createQuotaModel(policy: BanPolicy): QuotaModel {
  let minute: Count | undefined;
  let day: Count | undefined;
  let episodeBeganAt: number | undefined;
  let strikes: Count | undefined;
  let bans: Count | undefined;
  let banEndsAt = 0;

  /** Counts a denial. Returns whether it begins a ban. */
  function beginsBan(now: number, threshold: number): boolean {
    if (episodeBeganAt === undefined) {
      episodeBeganAt = now;
      return false;
    }
    if (now - episodeBeganAt < policy.graceMs) return false;
    strikes = oneMore(strikes, now, policy.strikeWindowSeconds * 1_000);
    return strikes.used > threshold;
  }

  /** A ban clears the strikes and the episode that led to it. */
  function ban(now: number): void {
    // The memory of earlier bans is counted from the latest one.
    bans = { used: (bans?.used ?? 0) + 1, endsAt: now + policy.memorySeconds * 1_000 };
    const doubled = policy.banSeconds * 2 ** (bans.used - 1);
    banEndsAt = now + Math.min(doubled, policy.maxBanSeconds) * 1_000;
    episodeBeganAt = undefined;
    strikes = undefined;
  }

  return {
    take(quota, now) {
      minute = unlessExpired(minute, now);
      day = unlessExpired(day, now);
      strikes = unlessExpired(strikes, now);
      bans = unlessExpired(bans, now);

      if (now >= banEndsAt) {
        if (used(minute) < quota.perMinute && used(day) < quota.perDay) {
          minute = oneMore(minute, now, minuteMs);
          day = oneMore(day, now, dayMs);
          episodeBeganAt = undefined;
          return describeAdmitted(windowsOf(quota, { minute, day, now }));
        }
        const areBansOff = policy.minStrikes === 0;
        const threshold = Math.max(
          policy.minStrikes,
          Math.floor(quota.perMinute * policy.strikeShare),
        );
        const isBan = !areBansOff && beginsBan(now, threshold);
        if (!isBan) {
          const isWarned = !areBansOff && used(strikes) >= threshold / 2;
          return describeDenied(windowsOf(quota, { minute, day, now }), now, isWarned);
        }
        ban(now);
      }
      return describeBanned(quota, banEndsAt, now);
    },
  };
}

function used(count: Count | undefined): number {
  return count?.used ?? 0;
}

function unlessExpired(count: Count | undefined, now: number): Count | undefined {
  return count !== undefined && now < count.endsAt ? count : undefined;
}

function oneMore(count: Count | undefined, now: number, lengthMs: number): Count {
  return { used: used(count) + 1, endsAt: count?.endsAt ?? now + lengthMs };
}

interface Window extends RateLimitWindow {
  readonly endsAt: number;
}

/** A window that is not open is described as if it began now. */
function windowsOf(
  quota: Quota,
  counts: { minute: Count | undefined; day: Count | undefined; now: number },
) {
  const describe = (name: 'minute' | 'day', limit: number, lengthMs: number): Window => {
    const endsAt = counts[name]?.endsAt ?? counts.now + lengthMs;
    return {
      name,
      limit,
      remaining: Math.max(0, limit - used(counts[name])),
      resetAt: Math.ceil(endsAt / 1_000),
      resetInSeconds: Math.ceil((endsAt - counts.now) / 1_000),
      endsAt,
    };
  };
  return {
    minute: describe('minute', quota.perMinute, minuteMs),
    day: describe('day', quota.perDay, dayMs),
  };
}

type Windows = ReturnType<typeof windowsOf>;

/** Reported: the window with least remaining; of two, the minute. */
function describeAdmitted({ minute, day }: Windows): ModelDecision {
  return {
    outcome: 'admitted',
    reported: windowOf(day.remaining < minute.remaining ? day : minute),
    windows: [windowOf(minute), windowOf(day)],
    retryAfterSeconds: 0,
    warned: false,
  };
}

/** Reported: the window that denied; of two, the one that resets later. */
function describeDenied({ minute, day }: Windows, now: number, warned: boolean): ModelDecision {
  const [first, ...others] = [minute, day].filter(({ remaining }) => remaining === 0);
  if (first === undefined) throw new Error('Nothing denied this request.');
  const reported = others.reduce((a, b) => (b.endsAt > a.endsAt ? b : a), first);
  return {
    outcome: 'denied',
    reported: windowOf(reported),
    windows: [windowOf(minute), windowOf(day)],
    retryAfterSeconds: Math.ceil((reported.endsAt - now) / 1_000),
    warned,
  };
}

function describeBanned(quota: Quota, banEndsAt: number, now: number): ModelDecision {
  const resetAt = Math.ceil(banEndsAt / 1_000);
  const resetInSeconds = Math.ceil((banEndsAt - now) / 1_000);
  const closed = { remaining: 0, resetAt, resetInSeconds };
  const minute: RateLimitWindow = { name: 'minute', limit: quota.perMinute, ...closed };
  return {
    outcome: 'banned',
    reported: minute,
    windows: [minute, { name: 'day', limit: quota.perDay, ...closed }],
    retryAfterSeconds: resetInSeconds,
    warned: false,
  };
}

function windowOf({ endsAt: _, ...window }: Window): RateLimitWindow {
  return window;
}
