import type { Quota } from '@animal-store/contract';
import { createQuotaModel } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { describe, test, vi } from 'vitest';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { compare, play, policyOf, sequence } from './quota-sequences.ts';
import { openMemoryQuotas, useRedisReplicas, useSequenceClock } from './sequence-quotas.ts';
import { useRedis } from './use-redis.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

/** A quota that nobody reaches. */
const wide: Quota = { perMinute: 1_000_000, perDay: 1_000_000 };

/**
 * Random sequences of requests, which both limiters must decide as the model does.
 *
 * @param runs how many sequences each test plays.
 */
export function describeQuotaModel(runs: {
  readonly batches: number;
  readonly replicas: number;
  readonly memory: number;
}): void {
  describe('on Redis', () => {
    const redis = useRedis();
    let now = 0;
    const replicasOf = useRedisReplicas(redis, () => now);
    let lastId = 0;
    const nextId = () => {
      lastId += 1;
      return `sequence-${lastId}`;
    };

    test('batches are decided as the model decides their requests one by one', async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (sequence) => {
          const requests = play(sequence, createQuotaModel(policyOf(sequence)));
          const [quotas] = replicasOf(sequence);
          // Two keys do the same, so that batches have requests of several keys.
          const keys = [nextId(), nextId()].map((id) => ({ id, decisions: [] as QuotaDecision[] }));
          for (const [atMs, atOnce] of Map.groupBy(requests, ({ atMs }) => atMs)) {
            now = atMs;
            for (const { id } of keys) quotas.keys.unbanHere(id);
            // Sent at once. All others share the batches after it.
            const first = quotas.keys.take({ id: 'first', quota: wide });
            const decisions = await Promise.all(
              atOnce.map(({ plan }) =>
                Promise.all(keys.map(({ id }) => quotas.keys.take({ id, quota: plan }))),
              ),
            );
            for (const [i, key] of keys.entries()) {
              key.decisions.push(...decisions.map((both) => both[i] as QuotaDecision));
            }
            await first;
          }
          for (const { decisions } of keys) compare(requests, decisions);
        }),
        { numRuns: runs.batches },
      );
    });

    test('two replicas, each remembering bans, decide as the model does', async () => {
      const whose = fc.infiniteStream(fc.nat({ max: 1 }));
      await fc.assert(
        fc.asyncProperty(sequence, whose, async (sequence, whose) => {
          const requests = play(sequence, createQuotaModel(policyOf(sequence)));
          const quotas = replicasOf(sequence);
          const id = nextId();
          const decisions: QuotaDecision[] = [];
          for (const { atMs, plan } of requests) {
            now = atMs;
            const replica = quotas[whose.next().value as 0 | 1];
            decisions.push(await replica.keys.take({ id, quota: plan }));
          }
          compare(requests, decisions);
        }),
        { numRuns: runs.replicas },
      );
    });
  });

  describe('in memory', () => {
    useSequenceClock();

    test('the limiter decides as the model does', async () => {
      const quotasOf = openMemoryQuotas();
      let sequences = 0;
      await fc.assert(
        fc.asyncProperty(sequence, async (sequence) => {
          sequences += 1;
          const requests = play(sequence, createQuotaModel(policyOf(sequence)));
          const quotas = quotasOf(sequence);
          const decisions: QuotaDecision[] = [];
          for (const { atMs, plan } of requests) {
            vi.setSystemTime(atMs);
            decisions.push(await quotas.keys.take({ id: `key ${sequences}`, quota: plan }));
          }
          compare(requests, decisions);
        }),
        { numRuns: runs.memory },
      );
    });
  });
}
