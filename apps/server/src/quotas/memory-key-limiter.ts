import { type BanPolicy, type Quota, strikeThreshold } from '@animal-store/contract';
import { LRUCache } from 'lru-cache';
import { RateLimiterCompatibleAbstract } from 'rate-limiter-flexible';
import type { OnBan } from './ban-rule.ts';
import { decide } from './decide.ts';
import { QuotaResult } from './quota-result.ts';
import { type QuotaState, unusedKey, withoutBan, withoutExpired } from './quota-state.ts';

/**
 * At most about 30 MB. Beyond it the least recently used key is forgotten and its counts begin
 * again. Nobody else needs to delete anything: expired counts are treated as empty.
 */
const maxKeys = 100_000;

/** What comes with each request of a key: its limits need no limiter of their own. */
export interface KeyLimiterOptions {
  readonly quota: Quota;
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

  readonly #states = new LRUCache<string, QuotaState>({ max: maxKeys });
  readonly #banPolicy: BanPolicy;
  readonly #onBan: OnBan | undefined;
  readonly #replicas: () => number;
  readonly #scope: 'service' | 'replica';

  /**
   * @param options.replicas Tells how many replicas share each quota without seeing each other's
   * counts. Each admits its share, rounded up, and reports it, because that is what holds for the caller.
   */
  constructor(options: {
    banPolicy: BanPolicy;
    onBan?: OnBan | undefined;
    replicas?: () => number;
    scope: 'service' | 'replica';
  }) {
    super();
    this.#banPolicy = options.banPolicy;
    this.#onBan = options.onBan;
    this.#replicas = options.replicas ?? (() => 1);
    this.#scope = options.scope;
  }

  /** Unlike the library's limiters, it also resolves if the request is not admitted. */
  override async consume(id: string, _points: number, options: KeyLimiterOptions) {
    const now = Date.now();
    const quota = this.#shareOf(options.quota);
    const before = this.#states.get(id) ?? unusedKey;
    const { outcome, state } = decide(before, { quota, banPolicy: this.#banPolicy }, now);
    this.#states.set(id, state);
    if (outcome === 'banned' && state.bannedUntilMs !== before.bannedUntilMs) {
      this.#onBan?.({
        keyId: id,
        seconds: (state.bannedUntilMs - now) / 1_000,
        startedAtMs: now,
      });
    }
    return this.#resultOf(state, outcome, now, quota);
  }

  /** The state of a key. Counts nothing. */
  override async get(id: string, options: KeyLimiterOptions) {
    const now = Date.now();
    const state = withoutExpired(this.#states.get(id) ?? unusedKey, now);
    return this.#resultOf(state, 'admitted', now, this.#shareOf(options.quota));
  }

  async unban(id: string): Promise<void> {
    this.forgetBan(id);
  }

  forgetBan(id: string): void {
    const state = this.#states.get(id);
    if (state !== undefined) this.#states.set(id, withoutBan(state));
  }

  #shareOf({ perMinute, perDay }: Quota): Quota {
    const replicas = this.#replicas();
    return {
      perMinute: Math.ceil(perMinute / replicas),
      perDay: Math.ceil(perDay / replicas),
    };
  }

  #resultOf(state: QuotaState, outcome: QuotaResult['outcome'], now: number, quota: Quota) {
    return new QuotaResult(
      { ...state, now, outcome, strikes: state.strikes.used },
      {
        ...quota,
        strikeThreshold: strikeThreshold(this.#banPolicy, quota),
        scope: this.#scope,
      },
    );
  }
}
