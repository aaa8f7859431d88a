import { type BanPolicy, type Quota, strikeThreshold } from '@animal-store/contract';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Clock } from '../shared/clock.ts';
import type { OnBan } from './ban-rule.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { KeyRequest, RedisAnswer } from './decide-call.ts';
import { createRedisDecider, type RedisDecider } from './decide-in-redis.ts';
import { type LimitedKey, requireKey, unsupported } from './limited-key.ts';
import type { MemoryKeyLimiter } from './memory-key-limiter.ts';
import type { RedisConnection } from './open-redis.ts';
import { QuotaDecision, type StoreAnswer } from './quota-decision.ts';
import type {} from './rate-limiter-store.ts';
import { banNameOf, keyPrefix } from './redis-format.ts';

/**
 * Limits API keys in Redis. All replicas on the same Redis decide as one, by its clock.
 *
 * It is a store of rate-limiter-flexible: what the library asks of a store is below, all else is the
 * library's. The library's own store has one window, and counts requests that it denies.
 */
export class RedisKeyLimiter extends RateLimiterRedis {
  readonly #decider: RedisDecider;
  readonly #banPolicy: BanPolicy;
  readonly #onBan: OnBan | undefined;

  /**
   * @param options.insurance decides while the breaker is open.
   * @param options.quotaClock what tells the time to decide by, for tests; otherwise it is Redis's own.
   */
  constructor(options: {
    redis: RedisConnection;
    breaker: CircuitBreaker;
    insurance: MemoryKeyLimiter;
    banPolicy: BanPolicy;
    onBan?: OnBan | undefined;
    quotaClock?: Clock | undefined;
  }) {
    super({
      storeClient: options.redis,
      keyPrefix,
      // A decision has 1 consumed point if the request was refused. Durations are those of the windows.
      points: 0,
      duration: 0,
      insuranceLimiter: options.insurance,
    });
    this.#decider = createRedisDecider(options);
    this.#banPolicy = options.banPolicy;
    this.#onBan = options.onBan;
  }

  // Nobody calls these.
  override penalty = unsupported;
  override reward = unsupported;
  override set = unsupported;
  override block = unsupported;
  override delete = unsupported;

  /** Counts one request. If it rejects, the library asks the insurance. */
  override async _upsert(
    subject: string,
    points: number,
    _msDuration: number,
    _forceExpire: boolean,
    key: Partial<LimitedKey>,
  ): Promise<QuotaDecision> {
    requireKey(key, points);
    const answer = await this.#decider.decide(toRequest(subject, key));
    if (answer.beganBan) this.#tellBan(key.id, answer);
    return this.#toDecision(answer, key.quota);
  }

  /** The state of a key and of its subject. Counts nothing. */
  override async _get(subject: string, key: Partial<LimitedKey>): Promise<QuotaDecision> {
    requireKey(key);
    const answer = await this.#decider.look(toRequest(subject, key));
    return this.#toDecision(answer, key.quota);
  }

  override _getRateLimiterRes(_subject: string, _changedPoints: number, decision: QuotaDecision) {
    return decision;
  }

  #tellBan(keyId: string, { bannedUntilMs, now }: RedisAnswer): void {
    const seconds = (bannedUntilMs - now) / 1_000;
    this.#onBan?.({ keyId, seconds, startedAtMs: now });
  }

  #toDecision(answer: StoreAnswer, quota: Quota): QuotaDecision {
    const threshold = strikeThreshold(this.#banPolicy, quota);
    return new QuotaDecision(answer, { ...quota, strikeThreshold: threshold, scope: 'service' });
  }
}

function toRequest(subject: string, key: LimitedKey): KeyRequest {
  return { windowsAt: subject, banAt: banNameOf(subject, key), quota: key.quota };
}
