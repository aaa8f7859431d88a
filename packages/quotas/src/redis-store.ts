import type { Clock } from '@animal-store/runtime';
import { createBatcher } from '@animal-store/runtime';
import type { BanPolicy } from './ban-policy.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Consumer, ConsumerId, OnBan } from './consumer.ts';
import { type EndedBan, laterEnding, toEndedBan } from './ended-ban.ts';
import type { RedisConnection } from './open-redis.ts';
import type { Quota } from './quota.ts';
import {
  type QuotaDecision,
  type StoreAnswer,
  toDecision as toQuotaDecision,
} from './quota-decision.ts';
import { type RedisNames, windowBytes } from './redis-format.ts';
import {
  type ConsumerGroup,
  type ConsumerRequest,
  groupByConsumer,
  readAnswers,
  readLook,
  redisKeysOf,
  writeBanPolicy,
  writeRequests,
} from './script-call.ts';

/**
 * The limits of a batch, which is a group of requests that share one script call. Redis executes
 * nothing else while a script runs, so a call decides about the requests of at most 100 consumers.
 * This takes less than a millisecond.
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
  readonly names: RedisNames;
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  readonly banPolicy: BanPolicy;
  /** The clock that the scripts use in tests, instead of Redis's own clock. */
  readonly redisClock?: Pick<Clock, 'now'> | undefined;
  readonly onBan?: OnBan | undefined;
}

export type RedisStore = ReturnType<typeof createRedisStore>;

/**
 * Creates a store in Redis, with the counts and bans of consumers (callers with a quota). All
 * replicas of the service that use the same Redis count together, by the clock of Redis.
 *
 * All methods reject while the breaker is open. Requests that arrive while a script call is in
 * flight share the next call.
 */
export function createRedisStore(options: RedisStoreOptions) {
  const { redis, names, breaker, banPolicy, onBan } = options;
  const { decide, look } = createScriptCalls(options);
  const toRequest = (consumer: Consumer): ConsumerRequest => ({
    windowsKey: names.windowsOf(consumer),
    banKey: names.banOf(consumer),
    quota: consumer.quota,
  });
  const state = createStateChanges(options);

  function toDecision(answer: StoreAnswer, quota: Quota): QuotaDecision {
    return toQuotaDecision(answer, { quota, banPolicy, scope: 'service' });
  }

  return {
    /**
     * Decides whether one request of a consumer (a caller with a quota) is admitted, and counts an
     * admitted request.
     */
    async decide(consumer: Consumer): Promise<QuotaDecision> {
      const answer = await decide(toRequest(consumer));
      const { beganBan, bannedUntilMs, now } = answer;
      if (beganBan) {
        onBan?.({
          consumer,
          seconds: (bannedUntilMs - now) / 1_000,
          startedAtMs: now,
          scope: 'service',
        });
      }
      return toDecision(answer, consumer.quota);
    },

    /**
     * Returns the state of a consumer, and of the account whose quota it shares, without counting a
     * request.
     */
    async look(consumer: Consumer): Promise<QuotaDecision> {
      return toDecision(await look(toRequest(consumer)), consumer.quota);
    },

    unban: (consumer: ConsumerId) => breaker.run(() => state.endBan(consumer)),
    credit: (consumer: ConsumerId) => breaker.run(() => redis.credit(names.windowsOf(consumer))),
    moveBan: (from: ConsumerId, to: ConsumerId) => breaker.run(() => state.moveBan(from, to)),
  };
}

/**
 * Creates the functions that call `decide.lua`.
 *
 * In a Redis Cluster, a script may use only Redis keys of one slot. Nearly every subject (a
 * consumer, or the account whose quota it shares) has its own slot. So in a Cluster, each subject
 * gets its own script call. A failed call then does not affect the requests of other subjects.
 */
function createScriptCalls({ redis, breaker, redisClock, ...rest }: RedisStoreOptions) {
  const banPolicy = writeBanPolicy(rest.banPolicy);

  function callScript(groups: readonly ConsumerGroup[]): Promise<string> {
    const keys = redisKeysOf(groups);
    const args = [writeRequests(groups), banPolicy];
    if (redisClock !== undefined) args.push(String(redisClock.now()));
    return breaker.run(() => redis.decideConsumers(keys.length, ...keys, ...args));
  }

  async function decideAll(requests: readonly ConsumerRequest[]): Promise<StoreAnswer[]> {
    const groups = groupByConsumer(requests);
    return readAnswers(await callScript(groups), groups);
  }

  async function decideBySubject(
    requests: readonly ConsumerRequest[],
  ): Promise<Promise<StoreAnswer>[]> {
    const subjects = Map.groupBy(requests, ({ windowsKey }) => windowsKey);
    const calls = new Map(
      [...subjects].map(([subject, requestsOfSubject]) => [subject, decideAll(requestsOfSubject)]),
    );
    await Promise.allSettled(calls.values());
    return requests.map(async (request) => {
      const index = subjects.get(request.windowsKey)?.indexOf(request) ?? 0;
      return (await calls.get(request.windowsKey))?.[index] as StoreAnswer;
    });
  }

  return {
    decide: createBatcher<ConsumerRequest, StoreAnswer>(
      redis.isCluster ? decideBySubject : decideAll,
      batching,
    ),
    /**
     * Returns the state of a consumer, and of the account whose quota it shares, without counting a
     * request.
     */
    look: async (request: ConsumerRequest) =>
      readLook(await callScript([{ ...request, indexes: [] }])),
  };
}

/**
 * Creates the functions that change the state of a consumer. Each change is one script. Between two
 * separate commands, another request could change the state, and its change would be lost.
 *
 * In a Redis Cluster, a script may use only Redis keys of one slot, but a consumer and its account
 * have different slots. So in a Cluster, an unban, or the move of a ban to another account, runs
 * one script for each slot.
 */
function createStateChanges({ redis, names, banPolicy, redisClock }: RedisStoreOptions) {
  const policy = writeBanPolicy(banPolicy);

  async function endBanOf(...owners: readonly ConsumerId[]): Promise<EndedBan> {
    const [strikes, bannedUntilMs] = await redis.endBan(
      owners.length,
      ...owners.map((owner) => names.banOf(owner)),
      redisClock?.now() ?? '',
      policy,
      ...owners.map(bytesBefore),
    );
    return toEndedBan(strikes, bannedUntilMs);
  }

  return {
    async endBan({ id, accountId }: ConsumerId): Promise<EndedBan> {
      if (accountId === undefined) return endBanOf({ id });
      if (!redis.isCluster) return endBanOf({ id }, { id, accountId });
      const own = await endBanOf({ id });
      const shared = await endBanOf({ id, accountId });
      // Between the two scripts, the consumer may have left its account, and its ban may have moved
      // back to the slot of the consumer itself. So the first script runs again.
      return [shared, await endBanOf({ id })].reduce(laterEnding, own);
    },

    async moveBan(from: ConsumerId, to: ConsumerId): Promise<void> {
      const windows = [bytesBefore(from), bytesBefore(to)];
      if (!redis.isCluster) {
        await redis.moveBanBuffer(2, names.banOf(from), names.banOf(to), ...windows);
        return;
      }
      // The ban is first copied and then deleted, so that it is not lost if the replica stops in
      // between. If a denied request changes the ban state between the two steps, the ban state is
      // copied again. This happens at most once for each strike, and not after a ban has begun,
      // because a ban does not change.
      const source = names.banOf(from);
      let left = await redis.moveBanBuffer(1, source, ...windows);
      while (left !== null) {
        const [ban, ttlMs] = left;
        await redis.setBan(names.banOf(to), ban, ttlMs, bytesBefore(to));
        left = await redis.moveBanBuffer(1, source, ...windows, ban);
      }
    },
  };
}

/** Returns how many bytes with windows precede a consumer's ban state in the same string. */
function bytesBefore({ accountId }: ConsumerId): number {
  return accountId === undefined ? windowBytes : 0;
}
