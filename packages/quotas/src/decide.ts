import { type BanPolicy, banLengthSeconds, strikeThreshold } from './ban-policy.ts';
import { type Quota, type WindowCount, windowSeconds } from './quota.ts';

/** The outcome of a request. */
export type Outcome = 'admitted' | 'denied' | 'banned';

/**
 * The number of requests that a subject (a consumer, or the account that several consumers share)
 * has used in each window.
 */
export interface Counts {
  readonly minute: WindowCount;
  readonly day: WindowCount;
}

/**
 * The strikes (denied requests that count towards a ban), the ban and the earlier bans of a
 * consumer.
 */
export interface BanState {
  /**
   * The time of the first denied request in the current episode, or 0 if there is no episode. An
   * episode is a series of denied requests: see `ban-policy.ts`.
   */
  readonly episodeBeganAtMs: number;
  readonly strikes: WindowCount;
  /** The number of earlier bans. Each earlier ban makes the next ban longer. */
  readonly bans: WindowCount;
  /** The end of the current ban. It is 0 if the consumer is not banned. */
  readonly bannedUntilMs: number;
}

/**
 * The state that decides whether a request is admitted. It has two parts, because each part can
 * change alone. An unban keeps the counts, and a consumer that moves to another account keeps its
 * ban.
 */
export interface RequestState {
  /** The counts of the request's subject, which is the consumer or its account. */
  readonly counts: Counts;
  /** The ban state of the consumer. */
  readonly ban: BanState;
}

const emptyCount: WindowCount = { used: 0, endsAtMs: 0 };

export const unused: Counts = { minute: emptyCount, day: emptyCount };

export const notBanned: BanState = {
  episodeBeganAtMs: 0,
  strikes: emptyCount,
  bans: emptyCount,
  bannedUntilMs: 0,
};

/**
 * Decides whether one request of a consumer (a caller with a quota) is admitted, in memory. The
 * script `decide.lua` follows the same rules in Redis, and tests compare both with a model.
 *
 * A request is admitted only if the minute and the day window both have requests left. An admitted
 * request counts in both windows. A denied request counts in neither.
 *
 * @param now the current Unix time in milliseconds.
 * @returns the outcome, and the new state.
 */
export function decide(
  state: RequestState,
  rules: { quota: Quota; banPolicy: BanPolicy },
  now: number,
): { outcome: Outcome; state: RequestState } {
  const live = withoutExpired(state, rules.banPolicy, now);
  const { counts, ban } = live;
  if (ban.bannedUntilMs > 0) return { outcome: 'banned', state: live };

  const { perMinute, perDay } = rules.quota;
  if (counts.minute.used < perMinute && counts.day.used < perDay) {
    const counted = {
      minute: addOne(counts.minute, now, windowSeconds.minute),
      day: addOne(counts.day, now, windowSeconds.day),
    };
    // An admitted request ends the current episode of denied requests.
    const banAfterAdmission = ban.episodeBeganAtMs === 0 ? ban : { ...ban, episodeBeganAtMs: 0 };
    return { outcome: 'admitted', state: { counts: counted, ban: banAfterAdmission } };
  }

  const banAfterDenial = countDenial(live, rules, now);
  return {
    outcome: banAfterDenial.bannedUntilMs > 0 ? 'banned' : 'denied',
    state: { counts, ban: banAfterDenial },
  };
}

/**
 * Returns the state, in which expired windows and an expired ban are replaced by empty ones.
 *
 * If a stored window ends later than one window length from now, the clock was set back after the
 * window was stored. The window then begins again now, and keeps its count. Otherwise, a full
 * window would stay full until the clock reaches the stored end.
 */
export function withoutExpired(
  { counts, ban }: RequestState,
  banPolicy: BanPolicy,
  now: number,
): RequestState {
  const live = {
    minute: liveCount(counts.minute, now, windowSeconds.minute),
    day: liveCount(counts.day, now, windowSeconds.day),
  };
  if (ban === notBanned) return { counts: live, ban };
  const bans = liveCount(ban.bans, now, banPolicy.memorySeconds);
  const longestEndMs = now + banLengthSeconds(banPolicy, Math.max(1, bans.used)) * 1_000;
  return {
    counts: live,
    ban: {
      episodeBeganAtMs: Math.min(ban.episodeBeganAtMs, now),
      strikes: liveCount(ban.strikes, now, banPolicy.strikeWindowSeconds),
      bans,
      bannedUntilMs: now < ban.bannedUntilMs ? Math.min(ban.bannedUntilMs, longestEndMs) : 0,
    },
  };
}

/**
 * Returns the ban state after a denied request. The request begins an episode of denied requests,
 * counts as a strike towards a ban, or begins a ban. `BanPolicy` explains these rules.
 */
function countDenial(
  { counts, ban }: RequestState,
  { quota, banPolicy }: { quota: Quota; banPolicy: BanPolicy },
  now: number,
): BanState {
  const threshold = strikeThreshold(banPolicy, quota);
  if (threshold === undefined) return ban;
  // The full window may have been opened after the episode (the series of denied requests) began.
  // Other consumers of the account have then used up the new window, and the old episode is over.
  // So this denied request begins a new episode, and is not a strike.
  if (ban.episodeBeganAtMs < openedAtMs(counts, quota) || ban.episodeBeganAtMs === 0) {
    return { ...ban, episodeBeganAtMs: now };
  }
  // Requests within the grace period may have been in flight when the quota ran out, so they do not
  // count towards a ban.
  if (now - ban.episodeBeganAtMs < banPolicy.graceMs) return ban;

  const strikes = addOne(ban.strikes, now, banPolicy.strikeWindowSeconds);
  if (strikes.used <= threshold) return { ...ban, strikes };

  const bans = ban.bans.used + 1;
  return {
    // A ban deletes the strikes and the episode of denied requests that led to it.
    ...notBanned,
    bans: { used: bans, endsAtMs: now + banPolicy.memorySeconds * 1_000 },
    bannedUntilMs: now + banLengthSeconds(banPolicy, bans) * 1_000,
  };
}

/**
 * Returns the time when the full window was opened. If both windows are full, it returns the
 * earlier time. If none is full, it returns Infinity.
 */
function openedAtMs({ minute, day }: Counts, { perMinute, perDay }: Quota): number {
  return Math.min(
    minute.used < perMinute ? Infinity : minute.endsAtMs - windowSeconds.minute * 1_000,
    day.used < perDay ? Infinity : day.endsAtMs - windowSeconds.day * 1_000,
  );
}

/**
 * Returns a count, or an empty count if its window has expired. The returned window ends at most
 * `seconds` from now.
 */
function liveCount(count: WindowCount, now: number, seconds: number): WindowCount {
  if (now >= count.endsAtMs) return emptyCount;
  const lastEndMs = now + seconds * 1_000;
  return count.endsAtMs <= lastEndMs ? count : { ...count, endsAtMs: lastEndMs };
}

/** Adds one to a count. If no window is open, a window of `seconds` begins now. */
function addOne({ used, endsAtMs }: WindowCount, now: number, seconds: number): WindowCount {
  return { used: used + 1, endsAtMs: endsAtMs === 0 ? now + seconds * 1_000 : endsAtMs };
}
