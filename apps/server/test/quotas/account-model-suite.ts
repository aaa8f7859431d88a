import { createSharedQuotaModel } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { beforeAll, describe, test, vi } from 'vitest';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { readScripts } from '../../src/quotas/redis-scripts.ts';
import {
  type AccountSequence,
  accountSequence,
  isMove,
  type Move,
  playAccounts,
  type SharedRequest,
} from './account-sequences.ts';
import { compare, policyOf } from './quota-sequences.ts';
import { openMemoryQuotas, useRedisReplicas, useSequenceClock } from './sequence-quotas.ts';
import { useRedis } from './use-redis.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

let lastRun = 0;

/** Names the keys and accounts of a sequence, unlike those of any other. */
function nameRun() {
  lastRun += 1;
  const run = lastRun;
  const place = (key: number, account: number | undefined) => ({
    id: `${run}-key-${key}`,
    accountId: account === undefined ? undefined : `${run}-account-${account}`,
  });
  return {
    keyOf: ({ key, account, plan }: SharedRequest) => ({ ...place(key, account), quota: plan }),
    move: ({ keys }: Quotas, { key, from, to }: Move) =>
      keys.moveBan(place(key, from), place(key, to)),
  };
}

const play = (sequence: AccountSequence) =>
  playAccounts(sequence, createSharedQuotaModel(policyOf(sequence)));

/**
 * Random sequences of keys that share accounts, move between them, and lose and regain them, which both
 * limiters must decide as the model does.
 *
 * @param runs how many sequences each test plays.
 */
export function describeAccountModel(runs: {
  readonly batches: number;
  readonly replicas: number;
  readonly memory: number;
}): void {
  describe('on Redis', () => {
    const redis = useRedis();
    let now = 0;

    beforeAll(() => {
      // Redis's clock goes on while that of a sequence stands still: what is needed for one more
      // millisecond would end between two requests.
      const { lua } = readScripts().decideKeys;
      const longer = lua.replaceAll(/(?<='PX', \w+ - now)/g, ' + 60000');
      redis.connection.defineCommand('decideKeys', { lua: longer });
    });
    const replicasOf = useRedisReplicas(redis, () => now);

    test('keys that share, move and lose accounts are decided by two replicas as the model decides', async () => {
      const whose = fc.infiniteStream(fc.nat({ max: 1 }));
      await fc.assert(
        fc.asyncProperty(accountSequence, whose, async (sequence, whose) => {
          const quotas = replicasOf(sequence);
          const { keyOf, move } = nameRun();
          const requests: SharedRequest[] = [];
          const decisions: QuotaDecision[] = [];
          for (const event of play(sequence)) {
            const replica = quotas[whose.next().value as 0 | 1];
            if (isMove(event)) {
              await move(replica, event);
              continue;
            }
            now = event.atMs;
            requests.push(event);
            decisions.push(await replica.keys.take(keyOf(event)));
          }
          compare(requests, decisions);
        }),
        { numRuns: runs.replicas },
      );
    });

    test('batches of keys of one account are decided as the model decides their requests one by one', async () => {
      await fc.assert(
        fc.asyncProperty(accountSequence, async (sequence) => {
          const [quotas] = replicasOf(sequence);
          const { keyOf, move } = nameRun();
          const requests: SharedRequest[] = [];
          const decisions: QuotaDecision[] = [];
          let atOnce: SharedRequest[] = [];
          async function send() {
            now = atOnce[0]?.atMs ?? now;
            // A ban would be believed without asking Redis.
            for (const request of atOnce) quotas.keys.unbanHere(keyOf(request).id);
            requests.push(...atOnce);
            decisions.push(
              ...(await Promise.all(atOnce.map((request) => quotas.keys.take(keyOf(request))))),
            );
            atOnce = [];
          }
          for (const event of play(sequence)) {
            const first = atOnce[0];
            // The keys of a batch have an order, so that it can be told to the model.
            const joins =
              !isMove(event) &&
              event.atMs === first?.atMs &&
              event.key >= (atOnce.at(-1)?.key ?? 0);
            if (!joins) await send();
            if (isMove(event)) await move(quotas, event);
            else atOnce.push(event);
          }
          await send();
          compare(requests, decisions);
        }),
        { numRuns: runs.batches },
      );
    });
  });

  describe('in memory', () => {
    useSequenceClock();

    test('keys that share, move and lose accounts are decided as the model decides', async () => {
      const quotasOf = openMemoryQuotas();
      await fc.assert(
        fc.asyncProperty(accountSequence, async (sequence) => {
          const quotas = quotasOf(sequence);
          const { keyOf } = nameRun();
          const requests: SharedRequest[] = [];
          const decisions: QuotaDecision[] = [];
          for (const event of play(sequence)) {
            if (isMove(event)) continue;
            vi.setSystemTime(event.atMs);
            requests.push(event);
            decisions.push(await quotas.keys.take(keyOf(event)));
          }
          compare(requests, decisions);
        }),
        { numRuns: runs.memory },
      );
    });
  });
}
