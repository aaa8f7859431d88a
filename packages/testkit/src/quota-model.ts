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

/** A key at the moment of a request. */
export interface ModelKey {
  readonly id: string;
  /** What its requests are counted against: itself, or an account with others. */
  readonly subject: string;
  /** The quota of the subject. */
  readonly quota: Quota;
}

/**
 * The quotas of keys and accounts, written as simply as possible. The limiters are compared with it. It
 * follows the design, shares no code with the limiters, and knows no store, script or timer.
 */
export interface QuotaModel {
  /** Decides one request. Unix time in milliseconds, which never goes back. */
  take(key: ModelKey, now: number): ModelDecision;
  /** Forgets the ban of a key, its strikes and earlier bans. The counts stay. */
  unban(id: string): void;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A count in a fixed window, which the first that is counted opens. */
interface Count {
  readonly used: number;
  readonly endsAt: number;
}

/** What a subject has used. */
interface Windows {
  minute: Count | undefined;
  day: Count | undefined;
}

/** What belongs to a key, whatever its subject is. */
interface Conduct {
  episodeBeganAt: number | undefined;
  strikes: Count | undefined;
  bans: Count | undefined;
  banEndsAt: number;
}

export function createQuotaModel(policy: BanPolicy): QuotaModel {
  const windowsOfSubjects = new Map<string, Windows>();
  const conductOfKeys = new Map<string, Conduct>();

  function windowsOf(subject: string): Windows {
    const windows = windowsOfSubjects.get(subject) ?? { minute: undefined, day: undefined };
    windowsOfSubjects.set(subject, windows);
    return windows;
  }

  function conductOf(key: string): Conduct {
    const none = { episodeBeganAt: undefined, strikes: undefined, bans: undefined, banEndsAt: 0 };
    const conduct = conductOfKeys.get(key) ?? none;
    conductOfKeys.set(key, conduct);
    return conduct;
  }

  /** Counts a denial. Returns whether it begins a ban. */
  function beginsBan(key: Conduct, now: number, threshold: number): boolean {
    if (key.episodeBeganAt === undefined) {
      key.episodeBeganAt = now;
      return false;
    }
    if (now - key.episodeBeganAt < policy.graceMs) return false;
    key.strikes = oneMore(key.strikes, now, policy.strikeWindowSeconds * 1_000);
    return key.strikes.used > threshold;
  }

  /** A ban clears the strikes and the episode that led to it. */
  function ban(key: Conduct, now: number): void {
    // The memory of earlier bans is counted from the latest one.
    key.bans = { used: used(key.bans) + 1, endsAt: now + policy.memorySeconds * 1_000 };
    const doubled = policy.banSeconds * 2 ** (key.bans.used - 1);
    key.banEndsAt = now + Math.min(doubled, policy.maxBanSeconds) * 1_000;
    key.episodeBeganAt = undefined;
    key.strikes = undefined;
  }

  return {
    take({ id, subject, quota }, now) {
      const windows = windowsOf(subject);
      windows.minute = unlessExpired(windows.minute, now);
      windows.day = unlessExpired(windows.day, now);
      const key = conductOf(id);
      key.strikes = unlessExpired(key.strikes, now);
      key.bans = unlessExpired(key.bans, now);

      if (now >= key.banEndsAt) {
        const { minute, day } = windows;
        if (used(minute) < quota.perMinute && used(day) < quota.perDay) {
          windows.minute = oneMore(minute, now, minuteMs);
          windows.day = oneMore(day, now, dayMs);
          key.episodeBeganAt = undefined;
          return describeAdmitted(describeWindows(quota, { ...windows, now }));
        }
        // Others of the account have used up a window that the key's last denial did not know.
        const isFull = {
          minute: used(minute) >= quota.perMinute,
          day: used(day) >= quota.perDay,
        };
        const knew = (count: Count | undefined, lengthMs: number) =>
          (count?.endsAt ?? 0) - lengthMs <= (key.episodeBeganAt ?? 0);
        const isSameEpisode =
          (isFull.minute && knew(minute, minuteMs)) || (isFull.day && knew(day, dayMs));
        if (!isSameEpisode) key.episodeBeganAt = undefined;

        const areBansOff = policy.minStrikes === 0;
        const threshold = Math.max(
          policy.minStrikes,
          Math.floor(quota.perMinute * policy.strikeShare),
        );
        const isBan = !areBansOff && beginsBan(key, now, threshold);
        if (!isBan) {
          const isWarned = !areBansOff && used(key.strikes) >= threshold / 2;
          return describeDenied(describeWindows(quota, { ...windows, now }), now, isWarned);
        }
        ban(key, now);
      }
      return describeBanned(quota, key.banEndsAt, now);
    },

    unban: (id) => void conductOfKeys.delete(id),
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

interface Described extends RateLimitWindow {
  readonly endsAt: number;
}

/** A window that is not open is described as if it began now. */
function describeWindows(
  quota: Quota,
  counts: { minute: Count | undefined; day: Count | undefined; now: number },
) {
  const describe = (name: 'minute' | 'day', limit: number, lengthMs: number): Described => {
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

type DescribedWindows = ReturnType<typeof describeWindows>;

/** Reported: the window with least remaining; of two, the minute. */
function describeAdmitted({ minute, day }: DescribedWindows): ModelDecision {
  return {
    outcome: 'admitted',
    reported: windowOf(day.remaining < minute.remaining ? day : minute),
    windows: [windowOf(minute), windowOf(day)],
    retryAfterSeconds: 0,
    warned: false,
  };
}

/** Reported: the window that denied; of two, the one that resets later. */
function describeDenied(
  { minute, day }: DescribedWindows,
  now: number,
  warned: boolean,
): ModelDecision {
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

function windowOf({ endsAt: _, ...window }: Described): RateLimitWindow {
  return window;
}
