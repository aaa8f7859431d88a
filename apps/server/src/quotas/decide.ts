import { type BanPolicy, type Quota, windowSeconds } from '@animal-store/contract';
import { judgeDenial } from './ban-rule.ts';
import { type BanState, unlessBanIsOver } from './ban-state.ts';
import { addOne, type Counts, unlessOver } from './window-counts.ts';

/** What became of a request. */
export type Outcome = 'admitted' | 'denied' | 'banned';

/** What a request is decided by. An unban keeps the counts, and a key that moves takes its ban along. */
export interface RequestState {
  /** Of the request's subject: its key, or the account that the key shares a quota with. */
  readonly counts: Counts;
  /** Of the request's key. */
  readonly ban: BanState;
}

/**
 * Decides one request of an API key in memory. `decide.lua` does the same in Redis; the tests
 * compare both with a model.
 *
 * A request is admitted only if the minute and the day of its subject both have room. Then it costs one
 * in both. A denied request costs nothing in either.
 *
 * @param now Unix time in milliseconds.
 * @returns the outcome, and the state to keep.
 */
export function decide(
  state: RequestState,
  rules: { quota: Quota; banPolicy: BanPolicy },
  now: number,
): { outcome: Outcome; state: RequestState } {
  const live = withoutExpired(state, now);
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

  const judged = judgeDenial(ban, { ...rules, fullSinceMs: openedAtMs(counts, rules.quota) }, now);
  return {
    outcome: judged.bannedUntilMs > 0 ? 'banned' : 'denied',
    state: { counts, ban: judged },
  };
}

/** Treats expired windows and an expired ban as empty. */
export function withoutExpired({ counts, ban }: RequestState, now: number): RequestState {
  return {
    counts: { minute: unlessOver(counts.minute, now), day: unlessOver(counts.day, now) },
    ban: unlessBanIsOver(ban, now),
  };
}

/** When the window that is full was opened; if both are, the first of them. */
function openedAtMs({ minute, day }: Counts, { perMinute, perDay }: Quota): number {
  return Math.min(
    minute.used < perMinute ? Infinity : minute.endsAtMs - windowSeconds.minute * 1_000,
    day.used < perDay ? Infinity : day.endsAtMs - windowSeconds.day * 1_000,
  );
}
