import type { BanPolicy, Quota } from '@animal-store/contract';
import type { Clock } from '@animal-store/runtime';
import { createBatcher } from '@animal-store/runtime';
import { Cluster } from 'ioredis';
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
import { type KeyAndAccount, type LimitedKey, type OnBan, subjectOf } from './key-quotas.ts';
import type { RedisConnection } from './open-redis.ts';
import { type QuotaDecision, type StoreAnswer, toKeyDecision } from './quota-decision.ts';
import { banNameOf, namePrefix, windowBytes } from './redis-format.ts';
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

interface RedisStoreOptions {
  readonly redis: RedisConnection;
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  readonly banPolicy: BanPolicy;
  /** In tests, what tells the time to decide by; otherwise it is Redis's own. */
  readonly quotaClock?: Pick<Clock, 'now'> | undefined;
  readonly onBan: OnBan;
}

export type RedisStore = ReturnType<typeof createRedisStore>;

/**
 * Keeps the state of keys in Redis. All replicas on the same Redis decide as one, by its clock.
 *
 * Every method rejects while the breaker is open. Requests that arrive while a script call is in flight share the next
 * one.
 */
export function createRedisStore(options: RedisStoreOptions) {
  const { redis, breaker, banPolicy, onBan } = options;
  const { decide, look } = createScriptCalls(options);
  const state = createKeyState(redis);

  function toDecision(answer: StoreAnswer, quota: Quota): QuotaDecision {
    return toKeyDecision(answer, { quota, banPolicy, scope: 'service' });
  }

  return {
    /** Decides one request of a key, and counts it. */
    async decide(key: LimitedKey): Promise<QuotaDecision> {
      const answer = await decide(toRequest(key));
      const { beganBan, bannedUntilMs, now } = answer;
      if (beganBan) {
        onBan({
          keyId: key.id,
          seconds: (bannedUntilMs - now) / 1_000,
          startedAtMs: now,
          scope: 'service',
        });
      }
      return toDecision(answer, key.quota);
    },

    /** Reads the state of a key and of its subject. Counts nothing. */
    async look(key: LimitedKey): Promise<QuotaDecision> {
      return toDecision(await look(toRequest(key)), key.quota);
    },

    unban: (key: KeyAndAccount) => breaker.run(() => state.endBan(key)),
    credit: (key: KeyAndAccount) => breaker.run(() => redis.credit(windowsOf(key))),
    moveBan: (from: KeyAndAccount, to: KeyAndAccount) => breaker.run(() => state.moveBan(from, to)),
  };
}

/**
 * Creates the calls of `decide.lua`.
 *
 * In a Cluster, a script may only use names of one slot, and nearly all subjects have slots of their own.
 * So there each subject has a call of its own, whose failure leaves the others alone.
 */
function createScriptCalls({ redis, breaker, quotaClock, ...rest }: RedisStoreOptions) {
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
 * Creates the changes of the state of a key. Each is one script, because a request or another change may come between
 * two commands. In a Cluster, a script may only use one slot, and a key and its account have different ones: there an
 * unban and a move are a script for each slot.
 */
function createKeyState(redis: RedisConnection) {
  return {
    async endBan({ id, accountId }: KeyAndAccount): Promise<void> {
      const own = banOf({ id });
      if (accountId === undefined) {
        await redis.endBan(1, own);
      } else if (redis instanceof Cluster) {
        await redis.endBan(1, own);
        await redis.del(banOf({ id, accountId }));
        // The ban may have moved back meanwhile.
        await redis.endBan(1, own);
      } else {
        await redis.endBan(2, own, banOf({ id, accountId }));
      }
    },

    async moveBan(from: KeyAndAccount, to: KeyAndAccount): Promise<void> {
      const windows = [bytesBefore(from), bytesBefore(to)];
      if (!(redis instanceof Cluster)) {
        await redis.moveBanBuffer(2, banOf(from), banOf(to), ...windows);
        return;
      }
      const taken = await redis.moveBanBuffer(1, banOf(from), ...windows);
      if (taken === null) return;
      const [ban, ttlMs] = taken;
      if (to.accountId === undefined) await redis.setBan(banOf(to), ban, ttlMs);
      else await redis.set(banOf(to), ban, 'PX', ttlMs);
    },
  };
}

function toRequest(key: LimitedKey): KeyRequest {
  return { windowsAt: windowsOf(key), banAt: banOf(key), quota: key.quota };
}

/** Names the windows of the subject of a key. */
function windowsOf(key: KeyAndAccount): string {
  return `${namePrefix}:${subjectOf(key)}`;
}

/** Names the strikes and the ban of a key. */
function banOf(key: KeyAndAccount): string {
  return banNameOf(windowsOf(key), key);
}

/** How many bytes of windows are in front of the ban state of a key. */
function bytesBefore({ accountId }: KeyAndAccount): number {
  return accountId === undefined ? windowBytes : 0;
}
