import { type BanPolicy, type Quota, strikeThreshold } from '@animal-store/contract';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { batchDecisions } from './batch-decisions.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import {
  groupByKey,
  isBanBegun,
  type KeyReply,
  type KeyRequest,
  readingOf,
} from './key-decision.ts';
import { decideScript, unbanScript } from './lua-scripts.ts';
import type { KeyLimiterOptions, MemoryKeyLimiter } from './memory-key-limiter.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';
import { type QuotaReading, QuotaResult } from './quota-result.ts';
import type { OnBan } from './quotas.ts';
import { rememberReadings } from './remembered-readings.ts';

type Reply = [now: number, ...replies: KeyReply[]];

/** How long a ban is believed without asking Redis again, so that an unban there ends it here too. */
const believedBanMs = 2_000;

/**
 * Limits API keys in Redis. All replicas on the same Redis decide as one, by its clock.
 *
 * One script decides about both windows, the strikes and the ban. Requests that arrive while a call of
 * it is in flight share the next one. The library's own script has one window, and counts requests that
 * it denies.
 */
export class RedisKeyLimiter extends RateLimiterRedis {
  readonly #decideKeys: RedisScript<Reply>;
  readonly #decide: (request: KeyRequest) => Promise<QuotaReading>;
  readonly #unbanKey: RedisScript<unknown>;
  readonly #breaker: CircuitBreaker;
  readonly #insurance: MemoryKeyLimiter;
  readonly #banPolicy: BanPolicy;
  readonly #onBan: OnBan | undefined;
  readonly #now: (() => number) | undefined;
  readonly #clock: () => number;
  readonly #bans: ReturnType<typeof rememberReadings<QuotaReading>>;
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
    this.#decide = batchDecisions(redis, (requests) => this.#decideAll(requests));
    this.#unbanKey = defineScript(redis, 'unbanKey', unbanScript);
    this.#breaker = breaker;
    this.#insurance = insurance;
    this.#banPolicy = banPolicy;
    this.#onBan = onBan;
    this.#now = now;
    this.#clock = now ?? (() => performance.now());
    this.#bans = rememberReadings({
      clock: this.#clock,
      endOf: ({ bannedUntilMs }) => bannedUntilMs,
      believedMs: believedBanMs,
    });
  }

  // In braces: everything that is kept about a key lies on one node of a Cluster.
  override getKey(id: string): string {
    return `animal-store:key:{${id}}`;
  }

  override parseKey(key: string): string {
    return key.slice('animal-store:key:{'.length, -'}'.length);
  }

  /**
   * Called by the library's `consume`, always with one point. If it rejects, the insurance limiter
   * decides.
   */
  async _upsert(
    key: string,
    _points: number,
    _msDuration: number,
    _forceExpire: boolean,
    { quota }: KeyLimiterOptions,
  ): Promise<QuotaResult> {
    const remembered = this.#breaker.isOpen() ? undefined : this.#bans.recall(key);
    return this.#resultOf(remembered ?? (await this.#decide({ key, quota })), quota);
  }

  /** Called by the library's `get`. */
  async _get(key: string, { quota }: KeyLimiterOptions): Promise<QuotaResult> {
    const [now, reply = []] = await this.#callScript([{ key, quota, requests: 0 }]);
    return this.#resultOf({ ...readingOf(reply, 0, now), outcome: 'admitted' }, quota);
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
    const { perMinute, perDay } = quota;
    return new QuotaResult(reading, {
      perMinute,
      perDay,
      strikeThreshold: strikeThreshold(this.#banPolicy, quota),
      scope: 'service',
    });
  }

  /** Decides requests in one script call, in their order. */
  async #decideAll(requests: readonly KeyRequest[]): Promise<QuotaReading[]> {
    const groups = groupByKey(requests);
    const askedAt = this.#clock();
    const [now, ...replies] = await this.#callScript(
      groups.map(({ key, quota, places }) => ({ key, quota, requests: places.length })),
    );
    const readings = Array<QuotaReading>(requests.length);
    groups.forEach(({ key, places }, i) => {
      const reply = replies[i] ?? [];
      places.forEach((place, index) => {
        readings[place] = readingOf(reply, index, now);
      });
      const last = readingOf(reply, places.length - 1, now);
      if (last.outcome === 'banned') this.#bans.remember(key, last, askedAt);
      if (isBanBegun(reply)) {
        this.#onBan?.({
          keyId: this.parseKey(key),
          seconds: (last.bannedUntilMs - now) / 1_000,
          startedAtMs: now,
        });
      }
    });
    return readings;
  }

  #callScript(keys: readonly (KeyRequest & { requests: number })[]): Promise<Reply> {
    const args = keys.flatMap(({ requests, quota }) => [requests, quota.perMinute, quota.perDay]);
    const now = this.#now?.();
    if (now !== undefined) args.push(now);
    const names = keys.map(({ key }) => key);
    return this.#breaker.run(() => this.#decideKeys(keys.length, ...names, ...args));
  }
}
