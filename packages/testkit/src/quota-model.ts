// The model has its own types. The packages `contract` and `quotas` are tested with this model, so
// it does not depend on them.

/** The rules for banning an API key that keeps sending requests after a 429. */
interface BanPolicy {
  readonly graceMs: number;
  readonly minStrikes: number;
  readonly strikeShare: number;
  readonly strikeWindowSeconds: number;
  readonly banSeconds: number;
  readonly maxBanSeconds: number;
  readonly memorySeconds: number;
}

interface Quota {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The state of a quota window, as response headers describe it. */
interface RateLimitWindow {
  name: 'minute' | 'day';
  limit: number;
  remaining: number;
  /** The time of the reset, as Unix time in seconds. */
  resetAt: number;
  /** The number of whole seconds from now to the reset. */
  resetInSeconds: number;
}

/** The parts of a quota decision (whether a request is admitted) that callers see. */
export interface ModelDecision {
  readonly outcome: 'admitted' | 'denied' | 'banned';
  /** The most restrictive window. */
  readonly reported: RateLimitWindow;
  readonly windows: readonly RateLimitWindow[];
  readonly retryAfterSeconds: number;
  readonly warned: boolean;
}

/** An API key, with the account and the quota that it has at the time of a request. */
interface ModelKey {
  readonly id: string;
  /**
   * The name under which requests are counted: the key itself, or the account that several keys
   * share.
   */
  readonly subject: string;
  /** The quota of the subject, which is the key itself or its account. */
  readonly quota: Quota;
}

const names = ['minute', 'day'] as const;
const lengthMs = { minute: 60_000, day: 86_400_000 };

/** The count of a fixed window. The first counted request opens the window. */
interface Count {
  readonly used: number;
  readonly endsAt: number;
}

/** The counts of a key or an account, by the name of the window. */
type Counts = { [name in (typeof names)[number]]?: Count | undefined };

/**
 * The strikes (denied requests that count towards a ban) and the bans of a key. They do not depend
 * on the key's subject.
 */
interface BanState {
  episodeBeganAt?: number | undefined;
  strikes?: Count | undefined;
  bans?: Count | undefined;
  banEndsAt?: number;
}

/**
 * Creates a model of the quotas of API keys and accounts, written as simply as possible. Tests
 * compare the real limiters with it. The model follows the design, shares no code with the
 * limiters, and has no store, no script and no timer.
 */
export function createQuotaModel(policy: BanPolicy) {
  const countsOfSubjects = new Map<string, Counts>();
  const banStatesOfKeys = new Map<string, BanState>();

  /** Counts a denied request. Returns whether it begins a ban. */
  function beginsBan(key: BanState, now: number, threshold: number): boolean {
    if (policy.minStrikes === 0) return false;
    if (key.episodeBeganAt === undefined) {
      key.episodeBeganAt = now;
      return false;
    }
    if (now - key.episodeBeganAt < policy.graceMs) return false;
    key.strikes = incremented(key.strikes, now, policy.strikeWindowSeconds * 1_000);
    return key.strikes.used > threshold;
  }

  /** Returns the time at which a ban that begins now will end. */
  function endOfBan({ bans }: BanState, now: number): number {
    const doubled = policy.banSeconds * 2 ** (Math.max(1, used(bans)) - 1);
    return now + Math.min(doubled, policy.maxBanSeconds) * 1_000;
  }

  /**
   * Begins a ban. The ban deletes the strikes and the episode of denied requests that led to it.
   */
  function ban(key: BanState, now: number): void {
    // The count of earlier bans is kept for a fixed time after the latest ban.
    key.bans = { used: used(key.bans) + 1, endsAt: now + policy.memorySeconds * 1_000 };
    key.banEndsAt = endOfBan(key, now);
    key.episodeBeganAt = undefined;
    key.strikes = undefined;
  }

  return {
    /**
     * Decides whether one request is admitted. `now` is Unix time in milliseconds, and may go back.
     */
    take({ id, subject, quota }: ModelKey, now: number): ModelDecision {
      const counts = countsOfSubjects.get(subject) ?? {};
      countsOfSubjects.set(subject, counts);
      for (const name of names) counts[name] = unlessExpired(counts[name], now, lengthMs[name]);
      const key = banStatesOfKeys.get(id) ?? {};
      banStatesOfKeys.set(id, key);
      key.strikes = unlessExpired(key.strikes, now, policy.strikeWindowSeconds * 1_000);
      key.bans = unlessExpired(key.bans, now, policy.memorySeconds * 1_000);
      // The clock may have been set back since the last request, so no stored time may be in the
      // future.
      key.episodeBeganAt &&= Math.min(key.episodeBeganAt, now);
      key.banEndsAt =
        now < (key.banEndsAt ?? 0) ? Math.min(key.banEndsAt ?? 0, endOfBan(key, now)) : 0;

      const limits = { minute: quota.perMinute, day: quota.perDay };
      // A window that no request has opened is described as if it began now.
      const endOf = (name: (typeof names)[number]) => counts[name]?.endsAt ?? now + lengthMs[name];
      const windowOf = (name: (typeof names)[number], endsAt = endOf(name)) => ({
        name,
        limit: limits[name],
        remaining: Math.max(0, limits[name] - used(counts[name])),
        resetAt: Math.ceil(endsAt / 1_000),
        resetInSeconds: Math.ceil((endsAt - now) / 1_000),
      });

      if (now >= (key.banEndsAt ?? 0)) {
        const full = names.filter((name) => used(counts[name]) >= limits[name]);
        const [first, second = first] = full;
        if (first === undefined || second === undefined) {
          for (const name of names) counts[name] = incremented(counts[name], now, lengthMs[name]);
          key.episodeBeganAt = undefined;
          const windows = [windowOf('minute'), windowOf('day')] as const;
          // For an admitted request, the window with fewer requests left is reported, or the minute
          // if both are equal.
          const reported = windows[windows[1].remaining < windows[0].remaining ? 1 : 0];
          return { outcome: 'admitted', reported, windows, retryAfterSeconds: 0, warned: false };
        }
        // If every full window was opened after the episode (a series of denied requests) began,
        // the episode is over. Other keys of the account have used up the new window.
        const { episodeBeganAt = 0 } = key;
        if (!full.some((name) => (counts[name]?.endsAt ?? 0) - lengthMs[name] <= episodeBeganAt)) {
          key.episodeBeganAt = undefined;
        }
        const share = Math.floor(quota.perMinute * policy.strikeShare);
        const threshold = Math.max(policy.minStrikes, share);
        if (!beginsBan(key, now, threshold)) {
          // For a denied request, the window that denied it is reported. If both windows denied it,
          // the window that resets later is reported.
          const reported = windowOf(endOf(second) > endOf(first) ? second : first);
          return {
            outcome: 'denied',
            reported,
            windows: names.map((name) => windowOf(name)),
            retryAfterSeconds: reported.resetInSeconds,
            warned: policy.minStrikes !== 0 && used(key.strikes) >= threshold / 2,
          };
        }
        ban(key, now);
      }
      const windows = names.map((name) => ({ ...windowOf(name, key.banEndsAt), remaining: 0 }));
      const [reported = windowOf('minute')] = windows;
      const { resetInSeconds: retryAfterSeconds } = reported;
      return { outcome: 'banned', reported, windows, retryAfterSeconds, warned: false };
    },

    /** Deletes the ban of a key, its strikes and its earlier bans. The counts stay. */
    unban: (id: string) => void banStatesOfKeys.delete(id),
  };
}

function used(count: Count | undefined): number {
  return count?.used ?? 0;
}

/**
 * Returns a count, or `undefined` if its window has expired. The returned window ends at most one
 * window length from now.
 */
function unlessExpired(count: Count | undefined, now: number, lengthMs: number): Count | undefined {
  if (count === undefined || now >= count.endsAt) return undefined;
  return { ...count, endsAt: Math.min(count.endsAt, now + lengthMs) };
}

function incremented(count: Count | undefined, now: number, lengthMs: number): Count {
  return { used: used(count) + 1, endsAt: count?.endsAt ?? now + lengthMs };
}
