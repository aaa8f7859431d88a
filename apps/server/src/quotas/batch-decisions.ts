import { Cluster } from 'ioredis';
import { createBatcher } from '../shared/batch.ts';
import type { RedisConnection } from './open-redis.ts';

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

/**
 * Lets requests that arrive while a script call is in flight share the next one.
 *
 * In a Cluster, a script may only use keys of one slot, and nearly all keys have slots of their own. So
 * there each key has a call of its own, whose failure leaves the others alone.
 *
 * @param decideAll decides requests in one script call, in their order.
 */
export function batchDecisions<Request extends { readonly id: string }, Decision>(
  redis: RedisConnection,
  decideAll: (requests: readonly Request[]) => Promise<readonly Decision[]>,
): (request: Request) => Promise<Decision> {
  if (!(redis instanceof Cluster)) return createBatcher(decideAll, batching);
  return createBatcher(async (requests) => {
    const groups = Map.groupBy(requests, ({ id }) => id);
    const calls = new Map([...groups].map(([id, group]) => [id, decideAll(group)]));
    await Promise.allSettled(calls.values());
    return requests.map(async (request) => {
      const place = groups.get(request.id)?.indexOf(request) ?? 0;
      return (await calls.get(request.id))?.[place] as Decision;
    });
  }, batching);
}
