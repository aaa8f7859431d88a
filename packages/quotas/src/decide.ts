import { type BanPolicy, banLengthSeconds, strikeThreshold } from './ban-policy.ts';
import { type Quota, type WindowCount, windowSeconds } from './quota.ts';

/** The result of a request. */
export type Outcome = 'admitted' | 'denied' | 'banned';

/** How many requests a subject has used of its quota. */
export interface Counts {
  readonly minute: WindowCount;
  readonly day: WindowCount;
}

/** The strikes, the ban and the earlier bans of a consumer. */
export interface BanState {
  /** The time of the first denial in the current episode; 0 if there is no episode. */
  readonly episodeBeganAtMs: number;
  readonly strikes: WindowCount;
  /** The number of earlier bans that make the next one longer. */
  readonly bans: WindowCount;
  /** The end of the current ban; 0 if the consumer is not banned. */
  readonly bannedUntilMs: number;
}

/**
 * The state by which a request is decided. Its two parts are separate, because an unban keeps the
 * counts, and a consumer that changes its subject keeps its ban.
 */
export interface RequestState {
  /** The counts of the request's subject: the consumer, or the account whose quota it shares. */
  readonly counts: Counts;
  /** The ban state of the consumer. */
  readonly ban: BanState;
}

const notOpen: WindowCount = { used: 0, endsAtMs: 0 };

export const unused: Counts = { minute: notOpen, day: notOpen };

export const notBanned: BanState = {
  episodeBeganAtMs: 0,
  strikes: notOpen,
  bans: notOpen,
  bannedUntilMs: 0,
};

/**
 * Decides one request of a consumer in memory. `decide.lua` does the same in Redis, and tests
 * compare both with a model.
 *
 * A request is admitted only if the minute and the day of its subject both have room. Then it costs
 * one in both. A denied request costs nothing in either.
 *
 * @param now Unix time in milliseconds.
 * @returns the outcome, and the state to store.
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
    // An admitted request ends the episode.
    const freed = ban.episodeBeganAtMs === 0 ? ban : { ...ban, episodeBeganAtMs: 0 };
    return { outcome: 'admitted', state: { counts: counted, ban: freed } };
  }

  const judged = judgeDenial(live, rules, now);
  return {
    outcome: judged.bannedUntilMs > 0 ? 'banned' : 'denied',
    state: { counts, ban: judged },
  };
}

/**
 * Treats expired windows and an expired ban as empty.
 *
 * A window that ends later than its full length from now was stored before the clock was set back.
 * It begins again now, with its count. Otherwise it would stay full for as long as the clock was
 * wrong.
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
 * Counts a denial, which begins an episode, is a strike, or begins a ban. `BanPolicy` explains the
 * rule.
 */
function judgeDenial(
  { counts, ban }: RequestState,
  { quota, banPolicy }: { quota: Quota; banPolicy: BanPolicy },
  now: number,
): BanState {
  const threshold = strikeThreshold(banPolicy, quota);
  if (threshold === undefined) return ban;
  // An episode of an earlier window is over: the consumer has waited, and other consumers of its
  // account have used up the new window.
  if (ban.episodeBeganAtMs < openedAtMs(counts, quota) || ban.episodeBeganAtMs === 0) {
    return { ...ban, episodeBeganAtMs: now };
  }
  // Requests that were in flight when the quota ran out are not "repeated requests after a 429".
  if (now - ban.episodeBeganAtMs < banPolicy.graceMs) return ban;

  const strikes = addOne(ban.strikes, now, banPolicy.strikeWindowSeconds);
  if (strikes.used <= threshold) return { ...ban, strikes };

  const bans = ban.bans.used + 1;
  return {
    // A ban clears the strikes and the episode that led to it.
    ...notBanned,
    bans: { used: bans, endsAtMs: now + banPolicy.memorySeconds * 1_000 },
    bannedUntilMs: now + banLengthSeconds(banPolicy, bans) * 1_000,
  };
}

/**
 * Returns when the full window was opened. If both windows are full, it returns the earlier time.
 */
function openedAtMs({ minute, day }: Counts, { perMinute, perDay }: Quota): number {
  return Math.min(
    minute.used < perMinute ? Infinity : minute.endsAtMs - windowSeconds.minute * 1_000,
    day.used < perDay ? Infinity : day.endsAtMs - windowSeconds.day * 1_000,
  );
}

/**
 * Returns a count, or an empty one if its window has expired. The window ends at most `seconds`
 * from now.
 */
function liveCount(count: WindowCount, now: number, seconds: number): WindowCount {
  if (now >= count.endsAtMs) return notOpen;
  const lastEndMs = now + seconds * 1_000;
  return count.endsAtMs <= lastEndMs ? count : { ...count, endsAtMs: lastEndMs };
}

/** Adds one. An unopened window begins now and lasts `seconds`. */
function addOne({ used, endsAtMs }: WindowCount, now: number, seconds: number): WindowCount {
  return { used: used + 1, endsAtMs: endsAtMs === 0 ? now + seconds * 1_000 : endsAtMs };
}
