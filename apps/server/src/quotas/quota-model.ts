import type { BanPolicy, Quota, RateLimitWindow } from '@animal-store/contract';
import type { QuotaDecision } from './quotas.ts';

/**
 * The quotas of one key in the plainest words: what the adapters are compared with. It is written
 * from the design, shares no code with them, and knows of no store, script or timer.
 */
export interface QuotaModel {
  /** Decides one request. Unix time in milliseconds, which never goes back. */
  take(quota: Quota, now: number): QuotaDecision;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Begins with the first that is counted, and is gone at its end. */
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

  /** Judges a denial; tells whether it was one too many. */
  function isTooMany(now: number, borne: number): boolean {
    if (episodeBeganAt === undefined) {
      episodeBeganAt = now;
      return false;
    }
    if (now - episodeBeganAt < policy.graceMs) return false;
    strikes = oneMore(strikes, now, policy.strikeWindowSeconds * 1_000);
    return strikes.used > borne;
  }

  /** A ban settles what led to it: what comes after it is judged afresh. */
  function ban(now: number): void {
    // Every ban is remembered from its own beginning.
    bans = { used: (bans?.used ?? 0) + 1, endsAt: now + policy.memorySeconds * 1_000 };
    const doubled = policy.banSeconds * 2 ** (bans.used - 1);
    banEndsAt = now + Math.min(doubled, policy.maxBanSeconds) * 1_000;
    episodeBeganAt = undefined;
    strikes = undefined;
  }

  return {
    take(quota, now) {
      minute = unlessOver(minute, now);
      day = unlessOver(day, now);
      strikes = unlessOver(strikes, now);
      bans = unlessOver(bans, now);

      if (now >= banEndsAt) {
        if (used(minute) < quota.perMinute && used(day) < quota.perDay) {
          minute = oneMore(minute, now, minuteMs);
          day = oneMore(day, now, dayMs);
          episodeBeganAt = undefined;
          return tellAdmitted(windowsOf(quota, { minute, day, now }));
        }
        const areBansOff = policy.minStrikes === 0;
        const borne = Math.max(policy.minStrikes, Math.floor(quota.perMinute * policy.strikeShare));
        const isBan = !areBansOff && isTooMany(now, borne);
        if (!isBan) {
          const isWarned = !areBansOff && used(strikes) >= borne / 2;
          return tellDenied(windowsOf(quota, { minute, day, now }), now, isWarned);
        }
        ban(now);
      }
      return tellBanned(quota, banEndsAt, now);
    },
  };
}

function used(count: Count | undefined): number {
  return count?.used ?? 0;
}

function unlessOver(count: Count | undefined, now: number): Count | undefined {
  return count !== undefined && now < count.endsAt ? count : undefined;
}

function oneMore(count: Count | undefined, now: number, lengthMs: number): Count {
  return { used: used(count) + 1, endsAt: count?.endsAt ?? now + lengthMs };
}

interface Window extends RateLimitWindow {
  readonly endsAt: number;
}

/** A window that no request has opened yet is told as if one opened it now. */
function windowsOf(
  quota: Quota,
  counts: { minute: Count | undefined; day: Count | undefined; now: number },
) {
  const tell = (name: 'minute' | 'day', limit: number, lengthMs: number): Window => {
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
    minute: tell('minute', quota.perMinute, minuteMs),
    day: tell('day', quota.perDay, dayMs),
  };
}

type Windows = ReturnType<typeof windowsOf>;

/** Reported: the window with least remaining; of two, the minute. */
function tellAdmitted({ minute, day }: Windows): QuotaDecision {
  return {
    outcome: 'admitted',
    reported: rateLimitOf(day.remaining < minute.remaining ? day : minute),
    windows: [toldOf(minute), toldOf(day)],
    retryAfterSeconds: 0,
    warned: false,
  };
}

/** Reported: the window that denied; of two, the one that resets later. */
function tellDenied({ minute, day }: Windows, now: number, warned: boolean): QuotaDecision {
  const [first, ...others] = [minute, day].filter(({ remaining }) => remaining === 0);
  if (first === undefined) throw new Error('Nothing denied this request.');
  const reported = others.reduce((a, b) => (b.endsAt > a.endsAt ? b : a), first);
  return {
    outcome: 'denied',
    reported: rateLimitOf(reported),
    windows: [toldOf(minute), toldOf(day)],
    retryAfterSeconds: Math.ceil((reported.endsAt - now) / 1_000),
    warned,
  };
}

function tellBanned(quota: Quota, banEndsAt: number, now: number): QuotaDecision {
  const resetAt = Math.ceil(banEndsAt / 1_000);
  const resetInSeconds = Math.ceil((banEndsAt - now) / 1_000);
  return {
    outcome: 'banned',
    reported: { limit: quota.perMinute, remaining: 0, resetAt },
    windows: [
      { name: 'minute', limit: quota.perMinute, remaining: 0, resetAt, resetInSeconds },
      { name: 'day', limit: quota.perDay, remaining: 0, resetAt, resetInSeconds },
    ],
    retryAfterSeconds: resetInSeconds,
    warned: false,
  };
}

function rateLimitOf({ limit, remaining, resetAt }: Window) {
  return { limit, remaining, resetAt };
}

function toldOf({ endsAt: _, ...window }: Window): RateLimitWindow {
  return window;
}
