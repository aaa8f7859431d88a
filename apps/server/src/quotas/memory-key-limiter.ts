import type { BanPolicy, Quota } from '@animal-store/contract';
import type { Clock } from '@animal-store/runtime';
import { LRUCache } from 'lru-cache';
import { RateLimiterCompatibleAbstract } from 'rate-limiter-flexible';
import type { LimitedKey, OnBan } from './key-quotas.ts';
import { type QuotaDecision, toKeyDecision } from './quota-decision.ts';
import {
  type BanState,
  type Counts,
  decide,
  notBanned,
  type Outcome,
  type RequestState,
  unused,
  withoutExpired,
} from './quota-rule.ts';

/**
 * At most about 30 MB. Beyond it the least recently used subject is dropped and its counts begin
 * again. Nobody else needs to delete anything: expired counts are treated as empty.
 */
const maxSubjects = 100_000;

/** Bans are kept apart, so that a key has its own, whatever its subject is. */
const maxBans = 100_000;

/** Grows as it is used. With `max`, the two caches take 50 ms of each start to reserve their places. */
const upTo = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

interface MemoryKeyLimiterOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly banPolicy: BanPolicy;
  readonly onBan?: OnBan | undefined;
  /**
   * Tells how many replicas share each quota without seeing each other's counts. Each admits its share, rounded
   * up, and reports it, because that is what holds for the caller.
   */
  readonly replicas: () => number;
  readonly scope: QuotaDecision['scope'];
}

/**
 * Limits API keys in this process's memory: for a single replica, and as the insurance of
 * {@link RedisKeyLimiter} while Redis is away.
 *
 * rate-limiter-flexible's own `RateLimiterMemory` has one window. Two of them would count a request
 * in one window even though the other denies it.
 */
export class MemoryKeyLimiter extends RateLimiterCompatibleAbstract {
  // The library reads and writes these three on an insurance limiter.
  override readonly keyPrefix = '';
  override blockDuration = 0;
  override execEvenly = false;

  /** By subject. */
  readonly #counts = new LRUCache<string, Counts>(upTo(maxSubjects));
  /** By key; only of those that have been denied. */
  readonly #bans = new LRUCache<string, BanState>(upTo(maxBans));
  readonly #options: MemoryKeyLimiterOptions;

  constructor(options: MemoryKeyLimiterOptions) {
    super();
    this.#options = options;
  }

  /** Counts one request. */
  override async consume(
    subject: string,
    _points: number,
    key: LimitedKey,
  ): Promise<QuotaDecision> {
    const { id } = key;
    const { clock, banPolicy, onBan, scope } = this.#options;
    const now = clock.now();
    const quota = this.#shareOf(key.quota);
    const before = this.#stateOf(subject, id);
    const { outcome, state } = decide(before, { ...this.#options, quota }, now);
    this.#counts.set(subject, state.counts);
    if (state.ban !== notBanned) this.#bans.set(id, state.ban);
    const { bannedUntilMs } = state.ban;
    const wasBanned = () => withoutExpired(before, banPolicy, now).ban.bannedUntilMs > 0;
    if (outcome === 'banned' && !wasBanned()) {
      onBan?.({ keyId: id, seconds: (bannedUntilMs - now) / 1_000, startedAtMs: now, scope });
    }
    const decision = this.#toDecision(state, outcome, now, quota);
    // As every limiter of the library rejects what it does not admit.
    if (outcome !== 'admitted') throw decision;
    return decision;
  }

  /** The state of a key and of its subject. Counts nothing. */
  override async get(subject: string, key: LimitedKey): Promise<QuotaDecision> {
    const { clock, banPolicy } = this.#options;
    const now = clock.now();
    const state = withoutExpired(this.#stateOf(subject, key.id), banPolicy, now);
    return this.#toDecision(state, 'admitted', now, this.#shareOf(key.quota));
  }

  /** Ends the ban of a key, and deletes its strikes and earlier bans. The counts of both windows stay. */
  unban(keyId: string): void {
    this.#bans.delete(keyId);
  }

  /** Empties both windows of a subject. */
  empty(subject: string): void {
    this.#counts.delete(subject);
  }

  #stateOf(subject: string, keyId: string): RequestState {
    return { counts: this.#counts.get(subject) ?? unused, ban: this.#bans.get(keyId) ?? notBanned };
  }

  #shareOf({ perMinute, perDay }: Quota): Quota {
    const replicas = this.#options.replicas();
    return {
      perMinute: Math.ceil(perMinute / replicas),
      perDay: Math.ceil(perDay / replicas),
    };
  }

  #toDecision({ counts, ban }: RequestState, outcome: Outcome, now: number, quota: Quota) {
    const { strikes, bannedUntilMs } = ban;
    const [used, strikesEndAtMs] = [strikes.used, strikes.endsAtMs];
    return toKeyDecision(
      { now, outcome, counts, strikes: used, strikesEndAtMs, bannedUntilMs },
      { ...this.#options, quota },
    );
  }
}
