import type { BanPolicy } from '@animal-store/contract';
import { Cluster } from 'ioredis';
import { createBatcher } from '../shared/batch.ts';
import type { Clock } from '../shared/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import {
  groupByKey,
  type KeyGroup,
  type KeyRequest,
  namesOf,
  type RedisAnswer,
  readAnswers,
  readLook,
  writeBanPolicy,
  writeRequests,
} from './decide-call.ts';
import type { RedisConnection } from './open-redis.ts';
import type { StoreAnswer } from './quota-decision.ts';

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

/** Decides requests of API keys in Redis. It rejects while the breaker is open. */
export interface RedisDecider {
  decide(request: KeyRequest): Promise<RedisAnswer>;
  /** The state of a key and its subject. Counts nothing. */
  look(request: KeyRequest): Promise<StoreAnswer>;
}

/**
 * Creates a decider. Requests that arrive while a script call is in flight share the next one.
 *
 * In a Cluster, a script may only use names of one slot, and nearly all subjects have slots of their own.
 * So there each subject has a call of its own, whose failure leaves the others alone.
 *
 * @param options.quotaClock what tells the time to decide by, for tests; otherwise it is Redis's own.
 */
export function createRedisDecider(options: {
  redis: RedisConnection;
  breaker: CircuitBreaker;
  banPolicy: BanPolicy;
  quotaClock?: Pick<Clock, 'now'> | undefined;
}): RedisDecider {
  const { redis, breaker, quotaClock } = options;
  const banPolicy = writeBanPolicy(options.banPolicy);

  function callScript(groups: readonly KeyGroup[]): Promise<string> {
    const names = namesOf(groups);
    const args = [writeRequests(groups), banPolicy];
    if (quotaClock !== undefined) args.push(String(quotaClock.now()));
    return breaker.run(() => redis.decideKeys(names.length, ...names, ...args));
  }

  async function decideAll(requests: readonly KeyRequest[]): Promise<RedisAnswer[]> {
    const groups = groupByKey(requests);
    return readAnswers(await callScript(groups), groups);
  }

  async function decideBySubject(requests: readonly KeyRequest[]): Promise<Promise<RedisAnswer>[]> {
    const subjects = Map.groupBy(requests, ({ windowsAt }) => windowsAt);
    const calls = new Map([...subjects].map(([subject, its]) => [subject, decideAll(its)]));
    await Promise.allSettled(calls.values());
    return requests.map(async (request) => {
      const index = subjects.get(request.windowsAt)?.indexOf(request) ?? 0;
      return (await calls.get(request.windowsAt))?.[index] as RedisAnswer;
    });
  }

  return {
    decide: createBatcher<KeyRequest, RedisAnswer>(
      redis instanceof Cluster ? decideBySubject : decideAll,
      batching,
    ),
    look: async (request) => readLook(await callScript([{ ...request, indexes: [] }])),
  };
}
