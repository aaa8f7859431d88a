import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import type { BanPolicy } from './ban-policy.ts';
import { type Consumer, type ConsumerId, type OnBan, subjectOf } from './consumer.ts';
import {
  type BanState,
  type Counts,
  decide,
  notBanned,
  type Outcome,
  type RequestState,
  unused,
  withoutExpired,
} from './decide.ts';
import { type EndedBan, toEndedBan } from './ended-ban.ts';
import type { Quota } from './quota.ts';
import { type QuotaDecision, toDecision as toQuotaDecision } from './quota-decision.ts';

/**
 * The maximum number of subjects (consumers and accounts) in memory. So many subjects take about 30
 * MB. When there are more, the least recently used subject is evicted, and its counts begin again
 * at 0. Expired counts need no deletion, because they are treated as empty.
 */
const maxSubjects = 100_000;

/**
 * The maximum number of ban states in memory. Bans are not stored with the counts. Otherwise, a
 * consumer would lose its ban when it moves to another account.
 */
const maxBans = 100_000;

/**
 * Returns options for a cache of limited size. With these options, a cache grows as needed. With
 * the option `max`, the caches of counts and bans would reserve memory for all entries. This takes
 * 50 ms at each start.
 */
const upTo = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

export interface MemoryStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly banPolicy: BanPolicy;
  readonly onBan?: OnBan | undefined;
  /**
   * Returns how many replicas of the service count in their own memory during an outage of Redis.
   * Each replica admits the quota divided by this number, rounded up. It also reports the result as
   * the limit, because this limit applies.
   */
  readonly replicas: () => number;
  readonly scope: QuotaDecision['scope'];
}

export type MemoryStore = ReturnType<typeof createMemoryStore>;

/**
 * Creates a store in the memory of this process, with the counts and bans of consumers (callers
 * with a quota). A service with a single replica uses this store, and so does every replica during
 * an outage of Redis.
 *
 * `RateLimiterMemory` of rate-limiter-flexible has only one window. Two of these limiters would
 * count a request in the first window even if the second window denies the request.
 */
export function createMemoryStore(options: MemoryStoreOptions) {
  const { clock, banPolicy, onBan, replicas, scope } = options;
  /** The counts of each subject (a consumer or an account). */
  const counts = new LRUCache<string, Counts>(upTo(maxSubjects));
  /**
   * The ban state of each consumer, by its id. A consumer has a ban state only after a denied
   * request.
   */
  const bans = new LRUCache<string, BanState>(upTo(maxBans));

  function stateOf(consumer: ConsumerId): RequestState {
    return {
      counts: counts.get(subjectOf(consumer)) ?? unused,
      ban: bans.get(consumer.id) ?? notBanned,
    };
  }

  function shareOf({ perMinute, perDay }: Quota): Quota {
    const count = replicas();
    return { perMinute: Math.ceil(perMinute / count), perDay: Math.ceil(perDay / count) };
  }

  function toDecision({ counts, ban }: RequestState, outcome: Outcome, now: number, quota: Quota) {
    const { strikes, bannedUntilMs } = ban;
    const [used, strikesEndAtMs] = [strikes.used, strikes.endsAtMs];
    return toQuotaDecision(
      { now, outcome, counts, strikes: used, strikesEndAtMs, bannedUntilMs },
      { quota, banPolicy, scope },
    );
  }

  return {
    /** Decides whether one request of a consumer is admitted, and counts an admitted request. */
    decide(consumer: Consumer): QuotaDecision {
      const now = clock.now();
      const quota = shareOf(consumer.quota);
      const before = stateOf(consumer);
      const { outcome, state } = decide(before, { quota, banPolicy }, now);
      counts.set(subjectOf(consumer), state.counts);
      if (state.ban !== notBanned) bans.set(consumer.id, state.ban);
      const { bannedUntilMs } = state.ban;
      const wasBanned = () => withoutExpired(before, banPolicy, now).ban.bannedUntilMs > 0;
      if (outcome === 'banned' && !wasBanned()) {
        onBan?.({ consumer, seconds: (bannedUntilMs - now) / 1_000, startedAtMs: now, scope });
      }
      return toDecision(state, outcome, now, quota);
    },

    /**
     * Returns the state of a consumer, and of the account whose quota it shares, without counting a
     * request.
     */
    look(consumer: Consumer): QuotaDecision {
      const now = clock.now();
      const state = withoutExpired(stateOf(consumer), banPolicy, now);
      return toDecision(state, 'admitted', now, shareOf(consumer.quota));
    },

    /**
     * Ends the ban of a consumer, and deletes its strikes (denied requests that count towards a
     * ban) and earlier bans. The counts of both windows stay.
     */
    unban(consumer: ConsumerId): EndedBan {
      const { ban } = withoutExpired(stateOf(consumer), banPolicy, clock.now());
      bans.delete(consumer.id);
      return toEndedBan(ban.strikes.used, ban.bannedUntilMs);
    },

    /**
     * Deletes the request counts of the minute and the day of a consumer, or of the account whose
     * quota it shares.
     */
    credit(consumer: ConsumerId): void {
      counts.delete(subjectOf(consumer));
    },
  };
}
