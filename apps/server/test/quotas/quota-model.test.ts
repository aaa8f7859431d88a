import { createQuotaModel } from '@animal-store/testkit/quota-model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { client, testPatientClient } from './patient-client.ts';
import { describeQuotaModel } from './quota-model-suite.ts';
import { play, policyOf, sequence, startMs } from './quota-sequences.ts';
import { suiteOptions } from './quota-subject.ts';

// `heavy/quota-model.heavy.test.ts` plays many more sequences.

test('the sequences reach every outcome, and further bans', () => {
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  fc.assert(
    fc.property(sequence, (sequence) => {
      const requests = play(sequence, createQuotaModel(policyOf(sequence)));
      let last = 'admitted';
      for (const { expected } of requests) {
        see(expected.warned ? 'warned' : expected.outcome);
        if (expected.outcome === 'banned' && last !== 'banned') {
          see(`a ban of ${expected.retryAfterSeconds} s`);
        }
        if (expected.outcome === 'admitted' && last === 'banned') see('freed');
        if (expected.outcome === 'denied' && expected.reported.limit === expected.windows[1]?.limit)
          see('denied by the day');
        last = expected.outcome;
      }
    }),
    { numRuns: 2_000, seed: 1 },
  );
  const reached = [...seen].filter(([, times]) => times >= 10).map(([what]) => what);
  expect(reached).toEqual(
    expect.arrayContaining([
      ...['admitted', 'denied', 'warned', 'banned', 'freed', 'denied by the day'],
      ...['a ban of 2 s', 'a ban of 4 s', 'a ban of 7 s', 'a ban of 300 s'],
    ]),
  );
});

describeQuotaModel({ batches: 60, replicas: 80, memory: 400 });

testPatientClient(500);

test('a client that does not wait as long as Retry-After says is banned', () => {
  const impatient = fc.sample(client, { numRuns: 200, seed: 1 }).map((client) => {
    const model = createQuotaModel(suiteOptions.banPolicy);
    let outcome = 'admitted';
    for (let i = 0; i < 900 && outcome !== 'banned'; i += 1) {
      outcome = model.take(client.quota, startMs + i * 100).outcome;
    }
    return outcome;
  });
  expect(new Set(impatient)).toEqual(new Set(['banned']));
});
