import { type BanPolicy, type Quota, windowSeconds } from '@animal-store/contract';
import { judgeDenial } from './ban-rule.ts';
import { addOne, type QuotaState, withoutExpired } from './quota-state.ts';

/** What became of a request. */
export type Outcome = 'admitted' | 'denied' | 'banned';

/**
 * Decides one request of an API key in memory. `decide.lua` does the same in Redis; the tests
 * compare both with a model.
 *
 * A request is admitted only if the minute and the day both have room. Then it costs one in both. A
 * denied request costs nothing in either.
 *
 * @param now Unix time in milliseconds.
 * @returns the outcome, and the state to keep.
 */
export function decide(
  state: QuotaState,
  { quota, banPolicy }: { quota: Quota; banPolicy: BanPolicy },
  now: number,
): { outcome: Outcome; state: QuotaState } {
  const live = withoutExpired(state, now);
  if (live.bannedUntilMs > 0) return { outcome: 'banned', state: live };

  if (live.minute.used < quota.perMinute && live.day.used < quota.perDay) {
    const counted = {
      ...live,
      minute: addOne(live.minute, now, windowSeconds.minute),
      day: addOne(live.day, now, windowSeconds.day),
      // An admitted request ends the episode.
      episodeBeganAtMs: 0,
    };
    return { outcome: 'admitted', state: counted };
  }

  const judged = judgeDenial(live, quota, banPolicy, now);
  return { outcome: judged.bannedUntilMs > 0 ? 'banned' : 'denied', state: judged };
}
