import type { BanPolicy } from '@animal-store/contract';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { createMemoryQuotas } from '../../src/quotas/memory-quotas.ts';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import { openRedisQuotas } from './open-redis-quotas.ts';
import { policies, startMs } from './quota-sequences.ts';
import { suiteOptions } from './quota-subject.ts';
import type { useRedis } from './use-redis.ts';

/** Gives what was opened for the policy of a sequence. */
type OfSequence<Opened> = (sequence: { readonly policy: string }) => Opened;

function openForEachPolicy<Opened>(open: (policy: BanPolicy) => Opened): OfSequence<Opened> {
  const opened = new Map(Object.entries(policies).map(([name, policy]) => [name, open(policy)]));
  return ({ policy }) => {
    const found = opened.get(policy);
    if (found === undefined) throw new Error(`There are no quotas with the policy ${policy}.`);
    return found;
  };
}

/** Opens two replicas of each policy, because a replica remembers bans, before the tests of a `describe`. */
export function useRedisReplicas(
  redis: ReturnType<typeof useRedis>,
  now: () => number,
): OfSequence<readonly [Quotas, Quotas]> {
  let replicasOf: OfSequence<readonly [Quotas, Quotas]>;
  beforeAll(() => {
    const { connection } = redis;
    const open = (banPolicy: BanPolicy) =>
      openRedisQuotas({ ...suiteOptions, banPolicy, redis: connection, now });
    replicasOf = openForEachPolicy((policy) => [open(policy), open(policy)]);
  });
  return (sequence) => replicasOf(sequence);
}

/** Quotas in memory of each policy. */
export const openMemoryQuotas = () =>
  openForEachPolicy((banPolicy) => createMemoryQuotas({ ...suiteOptions, banPolicy }));

/** Has the clock of a `describe` stand still at the start of every sequence. */
export function useSequenceClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: startMs, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
