import { type BanPolicy, type Quota, strikeThreshold } from '@animal-store/contract';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { decideScript, unbanScript } from './lua-scripts.ts';
import type { KeyLimiterOptions, MemoryKeyLimiter } from './memory-key-limiter.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';
import { type QuotaReading, QuotaResult } from './quota-result.ts';
import type { OnBan } from './quotas.ts';
import { createRememberedBans } from './remembered-bans.ts';

type Reply = [now: number, ...answers: number[][]];

/**
 * Limits API keys in Redis. All replicas on the same Redis decide as one, by its clock.
 *
 * One script decides about both windows, the strikes and the ban, in one round trip. The library's
 * own script has one window, and counts requests that it denies.
 */
export class RedisKeyLimiter extends RateLimiterRedis {
  readonly #decideKeys: RedisScript<Reply>;
  readonly #unbanKey: RedisScript<unknown>;
  readonly #breaker: CircuitBreaker;
  readonly #insurance: MemoryKeyLimiter;
  readonly #banPolicy: BanPolicy;
  readonly #onBan: OnBan | undefined;
  readonly #now: (() => number) | undefined;
  readonly #clock: () => number;
  readonly #bans: ReturnType<typeof createRememberedBans>;
  /** Keys that were unbanned while Redis was away, and may still be banned there. */
  readonly #missedUnbans = new Set<string>();

  /**
   * @param options.insurance decides while the breaker is open.
   * @param options.now the time to decide by, for tests; otherwise Redis's own.
   */
  constructor(options: {
    redis: RedisConnection;
    breaker: CircuitBreaker;
    insurance: MemoryKeyLimiter;
    banPolicy: BanPolicy;
    onBan?: OnBan | undefined;
    now?: () => number;
  }) {
    const { redis, breaker, insurance, banPolicy, onBan, now } = options;
    // The limits come with each request, in the options of `consume`.
    super({ storeClient: redis, points: 0, duration: 0, insuranceLimiter: insurance });
    this.#decideKeys = defineScript(redis, 'decideKeys', decideScript(banPolicy));
    this.#unbanKey = defineScript(redis, 'unbanKey', unbanScript);
    this.#breaker = breaker;
    this.#insurance = insurance;
    this.#banPolicy = banPolicy;
    this.#onBan = onBan;
    this.#now = now;
    this.#clock = now ?? (() => performance.now());
    this.#bans = createRememberedBans(this.#clock);
  }

  // In braces: everything that is kept about a key lies on one node of a Cluster.
  override getKey(id: string): string {
    return `animal-store:key:{${id}}`;
  }

  override parseKey(key: string): string {
    return key.slice('animal-store:key:{'.length, -'}'.length);
  }

  /** Called by the library's `consume`. If it rejects, the insurance limiter decides. */
  async _upsert(
    key: string,
    requests: number,
    _msDuration: number,
    _forceExpire: boolean,
    { quota }: KeyLimiterOptions,
  ): Promise<QuotaResult> {
    const remembered = this.#breaker.isOpen() ? undefined : this.#bans.recall(key);
    if (remembered !== undefined) return this.#resultOf(remembered, quota);

    const askedAt = this.#clock();
    const { reading, banBegan } = await this.#decide(key, requests, quota);
    this.#bans.remember(key, reading, askedAt);
    if (banBegan) {
      const seconds = (reading.bannedUntilMs - reading.now) / 1_000;
      this.#onBan?.({ keyId: this.parseKey(key), seconds });
    }
    return this.#resultOf(reading, quota);
  }

  /** Called by the library's `get`. */
  async _get(key: string, { quota }: KeyLimiterOptions): Promise<QuotaResult> {
    const { reading } = await this.#decide(key, 0, quota);
    return this.#resultOf({ ...reading, outcome: 'admitted' }, quota);
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, result: QuotaResult): QuotaResult {
    return result;
  }

  /** The library compares the count with `points`, which vary here. */
  _afterConsume(
    resolve: (result: QuotaResult) => void,
    reject: (result: QuotaResult) => void,
    _key: string,
    _changedPoints: number,
    result: QuotaResult,
  ): void {
    if (result.outcome === 'admitted') resolve(result);
    else reject(result);
  }

  async unban(id: string): Promise<void> {
    // Redis and the insurance may both hold a ban, if it began on either side of an outage.
    this.forgetBan(id);
    try {
      await this.#breaker.run(() => this.#unbanKey(1, this.getKey(id)));
    } catch {
      this.#missedUnbans.add(id);
    }
  }

  /** Repeats the unbans that Redis has missed. Call it when Redis is back. */
  repeatMissedUnbans(): void {
    const missed = [...this.#missedUnbans];
    this.#missedUnbans.clear();
    for (const id of missed) void this.unban(id);
  }

  forgetBan(id: string): void {
    this.#bans.forget(this.getKey(id));
    this.#insurance.forgetBan(id);
  }

  #resultOf(reading: QuotaReading, quota: Quota): QuotaResult {
    const threshold = strikeThreshold(this.#banPolicy, quota);
    return new QuotaResult(reading, { ...quota, strikeThreshold: threshold, scope: 'service' });
  }

  async #decide(key: string, requests: number, { perMinute, perDay }: Quota) {
    const args = [key, requests, perMinute, perDay];
    const now = this.#now?.();
    if (now !== undefined) args.push(now);
    const [at, answer = []] = await this.#breaker.run(() => this.#decideKeys(1, ...args));
    return readingAt(at, answer);
  }
}

function readingAt(now: number, answer: number[]): { reading: QuotaReading; banBegan: boolean } {
  const [admitted = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0] = answer;
  const [denied = 0, bannedUntilMs = 0, , strikes = 0, banBegan = 0] = answer.slice(5);
  return {
    reading: {
      now,
      outcome: admitted > 0 ? 'admitted' : denied > 0 ? 'denied' : 'banned',
      minute: { used: minuteUsed, endsAtMs: minuteEnds },
      day: { used: dayUsed, endsAtMs: dayEnds },
      strikes,
      bannedUntilMs,
    },
    banBegan: banBegan === 1,
  };
}
