import { createSharedQuotaModel } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeAccountModel } from './account-model-suite.ts';
import { accountSequence, isMove, playAccounts } from './account-sequences.ts';
import { policyOf } from './quota-sequences.ts';

// `heavy/quota-model.heavy.test.ts` plays many more sequences.

test('the sequences reach every outcome of shared windows, and move banned keys', () => {
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  fc.assert(
    fc.property(accountSequence, (sequence) => {
      const banned = new Set<number>();
      const users = new Map<number, Set<number>>();
      for (const event of playAccounts(sequence, createSharedQuotaModel(policyOf(sequence)))) {
        if (isMove(event)) {
          if (banned.has(event.key))
            see(`a banned key moved ${event.to === undefined ? 'out' : 'in'}`);
          continue;
        }
        const { key, account, expected } = event;
        if (expected.outcome === 'banned') banned.add(key);
        else banned.delete(key);
        if (account === undefined) continue;
        see(`${expected.outcome} in an account`);
        const before = users.get(account) ?? new Set();
        if (expected.outcome === 'denied' && !before.has(key)) see('denied by what others used');
        users.set(account, before.add(key));
      }
    }),
    { numRuns: 2_000, seed: 1 },
  );
  const reached = [...seen].filter(([, times]) => times >= 10).map(([what]) => what);
  expect(reached).toEqual(
    expect.arrayContaining([
      ...['admitted in an account', 'denied in an account', 'banned in an account'],
      ...['denied by what others used', 'a banned key moved in', 'a banned key moved out'],
    ]),
  );
});

describeAccountModel({ batches: 60, replicas: 60, memory: 400 });
