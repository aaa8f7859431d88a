import assert from 'node:assert/strict';
import type { BanPolicy } from '@animal-store/contract';
import fc from 'fast-check';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import {
  describeDecision,
  isMove,
  type Move,
  play,
  policies,
  type Request,
  type Sequence,
  sequence,
} from './quota-sequences.ts';

/**
 * Creates the properties that limiters must have: they decide each request of a random sequence as the
 * model does.
 *
 * @param open opens the quotas of some replicas on one store, with a ban policy and a clock.
 */
export function createSequenceProperties(
  open: (options: { banPolicy: BanPolicy; now: () => number }) => readonly Quotas[],
) {
  let now = 0;
  const opened = new Map(
    Object.entries(policies).map(([name, banPolicy]) => [
      name,
      open({ banPolicy, now: () => now }),
    ]),
  );

  /** Names the keys and accounts of a sequence, unlike those of any other. */
  function begin({ policy }: Sequence) {
    const run = crypto.randomUUID();
    const place = (key: number, account: number | undefined) => ({
      id: `${run}-key-${key}`,
      accountId: account === undefined ? undefined : `${run}-account-${account}`,
    });
    const quotas = opened.get(policy) as readonly Quotas[];
    return {
      replica: (n: number) => (quotas[n % quotas.length] as Quotas).keys,
      keyOf: ({ key, account, quota }: Request) => ({ ...place(key, account), quota }),
      placesOf: ({ key, from, to }: Move) => [place(key, from), place(key, to)] as const,
    };
  }

  return {
    /** One after another, each by one of the replicas, which remember bans. */
    inTurn: fc.asyncProperty(sequence, fc.infiniteStream(fc.nat({ max: 1 })), async (it, whose) => {
      const { replica, keyOf, placesOf } = begin(it);
      const told: string[] = [];
      const expected: string[] = [];
      for (const event of play(it)) {
        const keys = replica(whose.next().value as number);
        if (isMove(event)) await keys.moveBan(...placesOf(event));
        else {
          now = event.atMs;
          expected.push(lineOf(event, event.expected));
          told.push(lineOf(event, await keys.take(keyOf(event))));
        }
      }
      assert.deepEqual(told, expected);
    }),

    /** Those of one instant together, by one replica. */
    inBatches: fc.asyncProperty(sequence, async (it) => {
      const { replica, keyOf, placesOf } = begin(it);
      const keys = replica(0);
      const told: string[] = [];
      const expected: string[] = [];
      let batch: Request[] = [];
      async function send() {
        now = batch[0]?.atMs ?? now;
        const decisions = await Promise.all(batch.map((request) => keys.take(keyOf(request))));
        for (const [i, request] of batch.entries()) {
          expected.push(lineOf(request, request.expected));
          told.push(lineOf(request, decisions[i] as QuotaDecision));
        }
        batch = [];
      }
      for (const event of play(it)) {
        // The keys of a batch have an order, so that it can be told to the model.
        const joins =
          !isMove(event) && event.atMs === batch[0]?.atMs && event.key >= (batch.at(-1)?.key ?? 0);
        if (!joins) await send();
        if (isMove(event)) await keys.moveBan(...placesOf(event));
        else batch.push(event);
      }
      await send();
      assert.deepEqual(told, expected);
    }),
  };
}

const lineOf = ({ atMs, key, quota }: Request, decision: Request['expected']) =>
  `${atMs} key ${key} ${quota.perMinute}/${quota.perDay}: ${describeDecision(decision)}`;
