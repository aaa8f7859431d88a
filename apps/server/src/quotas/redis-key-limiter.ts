import { type BanPolicy, type Quota, strikeThreshold } from '@animal-store/contract';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { OnBan } from './ban-rule.ts';
import { batchDecisions } from './batch-decisions.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { decideScript, unbanScript } from './lua-scripts.ts';
import type { KeyLimiterOptions, MemoryKeyLimiter } from './memory-key-limiter.ts';
import { defineScript, type RedisConnection, type RedisScript } from './open-redis.ts';
import { type QuotaReading, QuotaResult } from './quota-result.ts';

/** One request of an API key. */
interface KeyRequest {
  readonly id: string;
  readonly quota: Quota;
}

/** What `reply.lua` answers for the requests of one key. */
type KeyReply = readonly number[];

/** How long a ban is believed without asking Redis again, so that an unban there ends it here too. */
const believedBanMs = 2_000;

/** At most about 5 MB. Beyond it the least recently used are forgotten, and Redis is asked again. */
const maxBelievedBans = 10_000;

/** What Redis last said about a banned key. Times are those of a monotonic clock, in milliseconds. */
interface BelievedBan {
  readonly reading: QuotaReading;
  readonly heardAt: number;
  readonly believedUntil: number;
}

/**
 * Limits API keys in Redis. All replicas on the same Redis decide as one, by its clock.
 *
 * One script decides about both windows, the strikes and the ban. Requests that arrive while a call of
 * it is in flight share the next one. The library's own script has one window, and counts requests that
 * it denies.
 */
export class RedisKeyLimiter extends RateLimiterRedis {
  readonly #decideKeys: RedisScript<string>;
  readonly #decide: (request: KeyRequest) => Promise<QuotaReading>;
  readonly #unbanKey: RedisScript<string>;
  readonly #breaker: CircuitBreaker;
  readonly #insurance: MemoryKeyLimiter;
  readonly #banPolicy: BanPolicy;
  readonly #onBan: OnBan | undefined;
  readonly #now: (() => number) | undefined;
  readonly #clock: () => number;
  /** Bans that Redis reported lately. Requests of these keys are refused without a call. */
  readonly #bans = new LRUCache<string, BelievedBan>({ max: maxBelievedBans });
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
  }

  /** Scripts get the names in Redis; here a key goes by its id. */
  override getKey(id: string): string {
    return id;
  }

  /** Unlike the library's limiters, it also resolves if the request is not admitted. */
  override consume(id: string, points: number, options: KeyLimiterOptions) {
    return super.consume(id, points, options) as Promise<QuotaResult>;
  }

  /** The state of a key. Counts nothing. */
  override get(id: string, options: KeyLimiterOptions) {
    return super.get(id, options) as Promise<QuotaResult>;
  }

  /**
   * Called by the library's `consume`, always with one point. If it rejects, the insurance limiter
   * decides.
   */
  async _upsert(
    id: string,
    _points: number,
    _msDuration: number,
    _forceExpire: boolean,
    { quota }: KeyLimiterOptions,
  ): Promise<QuotaResult> {
    const believed = this.#breaker.isOpen() ? undefined : this.#recallBan(id);
    return this.#resultOf(believed ?? (await this.#decide({ id, quota })), quota);
  }

  /** Called by the library's `get`. */
  async _get(id: string, { quota }: KeyLimiterOptions): Promise<QuotaResult> {
    const [now, reply = []] = await this.#callScript([{ id, quota, places: [] }]);
    return this.#resultOf({ ...readingOf(reply, 0, now), outcome: 'admitted' }, quota);
  }

  _getRateLimiterRes(_key: string, _changedPoints: number, result: QuotaResult): QuotaResult {
    return result;
  }

  /** The library compares the count with `points`, which vary here. */
  _afterConsume(
    resolve: (result: QuotaResult) => void,
    _reject: unknown,
    _key: string,
    _changedPoints: number,
    result: QuotaResult,
  ): void {
    resolve(result);
  }

  async unban(id: string): Promise<void> {
    // Redis and the insurance may both hold a ban, if it began on either side of an outage.
    this.forgetBan(id);
    try {
      await this.#breaker.run(() => this.#unbanKey(1, keyName(id), '[]'));
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
    this.#bans.delete(id);
    this.#insurance.forgetBan(id);
  }

  /** @param askedAt when Redis was asked. It decided at some instant between then and now. */
  #rememberBan(id: string, reading: QuotaReading, askedAt: number): void {
    const heardAt = this.#clock();
    this.#bans.set(id, {
      reading,
      heardAt,
      // Counted from the earliest instant, so that no ban is believed for too long.
      believedUntil: Math.min(
        heardAt + believedBanMs,
        askedAt + reading.bannedUntilMs - reading.now,
      ),
    });
  }

  #recallBan(id: string): QuotaReading | undefined {
    const ban = this.#bans.get(id);
    if (ban === undefined) return undefined;
    const present = this.#clock();
    if (present >= ban.believedUntil) return undefined;
    // Counted from the latest instant, so that the reported wait is never too short.
    return { ...ban.reading, now: ban.reading.now + present - ban.heardAt };
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
    const [now, ...replies] = await this.#callScript(groups);
    const readings = Array<QuotaReading>(requests.length);
    groups.forEach(({ id, places }, i) => {
      const reply = replies[i] ?? [];
      places.forEach((place, index) => {
        readings[place] = readingOf(reply, index, now);
      });
      const last = readings[places.at(-1) ?? 0] as QuotaReading;
      if (last.outcome === 'banned') this.#rememberBan(id, last, askedAt);
      if (isBanBegun(reply)) {
        this.#onBan?.({
          keyId: id,
          seconds: (last.bannedUntilMs - now) / 1_000,
          startedAtMs: now,
        });
      }
    });
    return readings;
  }

  async #callScript(groups: readonly KeyGroup[]): Promise<[now: number, ...KeyReply[]]> {
    const asked = groups.flatMap(({ places, quota }) => [
      places.length,
      quota.perMinute,
      quota.perDay,
    ]);
    const args = [...groups.map(({ id }) => keyName(id)), JSON.stringify(asked)];
    if (this.#now !== undefined) args.push(String(this.#now()));
    return JSON.parse(await this.#breaker.run(() => this.#decideKeys(groups.length, ...args)));
  }
}

/** Where Redis keeps a key. In braces: everything about it lies on one node of a Cluster. */
function keyName(id: string): string {
  return `animal-store:key:{${id}}`;
}

/** Requests that the script decides together. */
interface KeyGroup extends KeyRequest {
  /** The places of its requests among all, in order of arrival. */
  readonly places: number[];
}

/** Groups requests of one key under the same quota. */
function groupByKey(all: readonly KeyRequest[]): KeyGroup[] {
  const groups: KeyGroup[] = [];
  const latest = new Map<string, KeyGroup>();
  all.forEach(({ id, quota }, place) => {
    let group = latest.get(id);
    // After a change of plan a new group begins, so that the order of arrival is kept.
    if (group?.quota.perMinute !== quota.perMinute || group.quota.perDay !== quota.perDay) {
      group = { id, quota, places: [] };
      groups.push(group);
      latest.set(id, group);
    }
    group.places.push(place);
  });
  return groups;
}

/**
 * Tells what the reply for the requests of a key means for one of them, the `index`-th to arrive: the
 * first are admitted, those after them denied, and the rest banned.
 */
function readingOf(reply: KeyReply, index: number, now: number): QuotaReading {
  const [admitted = 0, minuteUsed = 0, minuteEnds = 0, dayUsed = 0, dayEnds = 0] = reply;
  const { 5: denied = 0, 6: banEnds = 0, 7: strikesBefore = 0, 8: strikesAfter = 0 } = reply;
  const isAdmitted = index < admitted;
  const isDenied = !isAdmitted && index < admitted + denied;
  // Requests that were admitted after this one.
  const later = isAdmitted ? admitted - 1 - index : 0;
  // Each denial after this one is a strike: only the first denials of an episode are none.
  const laterStrikes = isDenied ? admitted + denied - 1 - index : 0;
  return {
    now,
    outcome: isAdmitted ? 'admitted' : isDenied ? 'denied' : 'banned',
    minute: { used: minuteUsed - later, endsAtMs: minuteEnds },
    day: { used: dayUsed - later, endsAtMs: dayEnds },
    strikes: isAdmitted ? strikesBefore : Math.max(strikesBefore, strikesAfter - laterStrikes),
    bannedUntilMs: isAdmitted || isDenied ? 0 : banEnds,
  };
}

/** Whether one of these requests began a ban. */
function isBanBegun(reply: KeyReply): boolean {
  return reply[9] === 1;
}
