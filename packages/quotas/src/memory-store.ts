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
import type { Quota } from './quota.ts';
import { type QuotaDecision, toDecision as toQuotaDecision } from './quota-decision.ts';

/**
 * At most about 30 MB. Beyond it the least recently used subject is dropped and its counts begin
 * again. Nobody else needs to delete anything: expired counts are treated as empty.
 */
const maxSubjects = 100_000;

/** Bans are kept apart, so that a key has its own, whatever its subject is. */
const maxBans = 100_000;

/** Grows as it is used. With `max`, the two caches take 50 ms of each start to reserve their places. */
const upTo = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

export interface MemoryStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly banPolicy: BanPolicy;
  readonly onBan?: OnBan | undefined;
  /**
   * Tells how many replicas share each quota without seeing each other's counts. Each replica admits its share,
   * rounded up, and reports this share, because it is what holds for the caller.
   */
  readonly replicas: () => number;
  readonly scope: QuotaDecision['scope'];
}

export type MemoryStore = ReturnType<typeof createMemoryStore>;

/**
 * Keeps the state of keys in this process's memory: for a single replica, and for a replica whose Redis is down.
 *
 * rate-limiter-flexible's own `RateLimiterMemory` has one window. Two of them would count a request in one window
 * even though the other one denies it.
 */
export function createMemoryStore(options: MemoryStoreOptions) {
  const { clock, banPolicy, onBan, replicas, scope } = options;
  /** By subject. */
  const counts = new LRUCache<string, Counts>(upTo(maxSubjects));
  /** By the id of a consumer; only of those that have been denied. */
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
    /** Decides one request of a consumer, and counts it. */
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

    /** Reads the state of a key and of its subject. Counts nothing. */
    look(consumer: Consumer): QuotaDecision {
      const now = clock.now();
      const state = withoutExpired(stateOf(consumer), banPolicy, now);
      return toDecision(state, 'admitted', now, shareOf(consumer.quota));
    },

    /** Ends the ban of a consumer, and deletes its strikes and earlier bans. The counts of both windows stay. */
    unban({ id }: ConsumerId): void {
      bans.delete(id);
    },

    /** Empties both windows of the subject of a consumer. */
    credit(consumer: ConsumerId): void {
      counts.delete(subjectOf(consumer));
    },
  };
}
