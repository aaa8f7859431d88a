import type { BanPolicy, Quota } from '@animal-store/contract';
import type { Clock } from '@animal-store/runtime';
import { createBatcher } from '@animal-store/runtime';
import { Cluster } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import {
  groupByKey,
  type KeyGroup,
  type KeyRequest,
  namesOf,
  readAnswers,
  readLook,
  writeBanPolicy,
  writeRequests,
} from './decide-call.ts';
import type { LimitedKey, OnBan } from './key-quotas.ts';
import type { MemoryKeyLimiter } from './memory-key-limiter.ts';
import type { RedisConnection } from './open-redis.ts';
import { type QuotaDecision, type StoreAnswer, toKeyDecision } from './quota-decision.ts';
import { banNameOf, namePrefix } from './redis-format.ts';
import type { CircuitBreaker } from './without-redis.ts';

/**
 * How requests share script calls. Redis does nothing else while a script runs, so the number of keys
 * in one call is bounded: 100 take it less than a millisecond.
 */
const batching = {
  operation: 'decide_quotas',
  system: 'redis',
  maxSize: 100,
  maxInFlight: 1,
  patienceMs: 20,
} as const;

interface LimiterOptions {
  readonly redis: RedisConnection;
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  readonly banPolicy: BanPolicy;
  /** In tests, what tells the time to decide by; otherwise it is Redis's own. */
  readonly quotaClock?: Pick<Clock, 'now'> | undefined;
  /** Decides while the breaker is open. */
  readonly insurance: MemoryKeyLimiter;
  readonly onBan: OnBan;
}

/**
 * Creates what decides requests of API keys in Redis. It rejects while the breaker is open. Requests that arrive
 * while a script call is in flight share the next one.
 *
 * In a Cluster, a script may only use names of one slot, and nearly all subjects have slots of their own.
 * So there each subject has a call of its own, whose failure leaves the others alone.
 */
function createRedisDecider({ redis, breaker, quotaClock, ...rest }: LimiterOptions) {
  const banPolicy = writeBanPolicy(rest.banPolicy);

  function callScript(groups: readonly KeyGroup[]): Promise<string> {
    const names = namesOf(groups);
    const args = [writeRequests(groups), banPolicy];
    if (quotaClock !== undefined) args.push(String(quotaClock.now()));
    return breaker.run(() => redis.decideKeys(names.length, ...names, ...args));
  }

  async function decideAll(requests: readonly KeyRequest[]): Promise<StoreAnswer[]> {
    const groups = groupByKey(requests);
    return readAnswers(await callScript(groups), groups);
  }

  async function decideBySubject(requests: readonly KeyRequest[]): Promise<Promise<StoreAnswer>[]> {
    const subjects = Map.groupBy(requests, ({ windowsAt }) => windowsAt);
    const calls = new Map([...subjects].map(([subject, its]) => [subject, decideAll(its)]));
    await Promise.allSettled(calls.values());
    return requests.map(async (request) => {
      const index = subjects.get(request.windowsAt)?.indexOf(request) ?? 0;
      return (await calls.get(request.windowsAt))?.[index] as StoreAnswer;
    });
  }

  return {
    decide: createBatcher<KeyRequest, StoreAnswer>(
      redis instanceof Cluster ? decideBySubject : decideAll,
      batching,
    ),
    /** The state of a key and its subject. Counts nothing. */
    look: async (request: KeyRequest) => readLook(await callScript([{ ...request, indexes: [] }])),
  };
}

/**
 * Limits API keys in Redis. All replicas on the same Redis decide as one, by its clock.
 *
 * It is a store of rate-limiter-flexible: the methods that the library asks of a store are below, and are not
 * in its types. `consume` of the library calls `_upsert`. Then it rejects if `consumedPoints` exceed 0, or asks the
 * insurance if `_upsert` failed.
 */
export class RedisKeyLimiter extends RateLimiterRedis {
  readonly #decider: ReturnType<typeof createRedisDecider>;
  readonly #options: LimiterOptions;

  constructor(options: LimiterOptions) {
    super({
      storeClient: options.redis,
      keyPrefix: namePrefix,
      // A decision has 1 consumed point if the request was refused. Durations are those of the windows.
      points: 0,
      duration: 0,
      insuranceLimiter: options.insurance,
    });
    this.#decider = createRedisDecider(options);
    this.#options = options;
  }

  /** Counts one request. If it rejects, the library asks the insurance. It puts `keyPrefix` before each name. */
  async _upsert(
    windowsAt: string,
    _points: number,
    _msDuration: number,
    _forceExpire: boolean,
    key: LimitedKey,
  ): Promise<QuotaDecision> {
    const answer = await this.#decider.decide(toRequest(windowsAt, key));
    const { beganBan, bannedUntilMs, now } = answer;
    if (beganBan) {
      this.#options.onBan({
        keyId: key.id,
        seconds: (bannedUntilMs - now) / 1_000,
        startedAtMs: now,
        scope: 'service',
      });
    }
    return this.#toDecision(answer, key.quota);
  }

  /** The state of a key and of its subject. Counts nothing. */
  async _get(windowsAt: string, key: LimitedKey): Promise<QuotaDecision> {
    return this.#toDecision(await this.#decider.look(toRequest(windowsAt, key)), key.quota);
  }

  _getRateLimiterRes(_windowsAt: string, _changedPoints: number, decision: QuotaDecision) {
    return decision;
  }

  #toDecision(answer: StoreAnswer, quota: Quota): QuotaDecision {
    return toKeyDecision(answer, { quota, banPolicy: this.#options.banPolicy, scope: 'service' });
  }
}

function toRequest(windowsAt: string, key: LimitedKey): KeyRequest {
  return { windowsAt, banAt: banNameOf(windowsAt, key), quota: key.quota };
}
