import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryQuotas } from '../../src/quotas/memory-quotas.ts';
import { openRedisQuotas } from './open-redis-quotas.ts';
import { patientClient, sampleClients } from './patient-client.ts';
import { quotaOptions } from './quota-options.ts';
import { isMove, play, sequence } from './quota-sequences.ts';
import { createSequenceProperties } from './sequence-player.ts';
import { useRedis } from './use-redis.ts';

// `npm run campaign -- quota-model` plays many more sequences.
const seed = 1;

test('the sequences reach every outcome, further bans, and bans of keys that move', () => {
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  function seeAll(it: Parameters<typeof play>[0]): void {
    const banned = new Set<number>();
    const users = new Map<number, Set<number>>();
    for (const event of play(it)) {
      if (isMove(event)) {
        const where = event.to === undefined ? 'out' : 'in';
        if (banned.has(event.key)) see(`a banned key moved ${where}`);
        continue;
      }
      const { key, account, expected } = event;
      const { outcome, warned, windows, reported, retryAfterSeconds } = expected;
      see(`${warned ? 'warned' : outcome} ${account === undefined ? 'alone' : 'in an account'}`);
      if (outcome === 'denied' && reported.name === windows[1]?.name) see('denied by the day');
      if (outcome === 'banned' && !banned.has(key)) see(`a ban of ${retryAfterSeconds} s`);
      if (outcome === 'admitted' && banned.has(key)) see('freed');
      if (outcome === 'banned') banned.add(key);
      else banned.delete(key);
      if (account === undefined) continue;
      const before = users.get(account) ?? new Set();
      if (outcome === 'denied' && !before.has(key)) see('denied by what others used');
      users.set(account, before.add(key));
    }
  }
  fc.assert(fc.property(sequence, seeAll), { seed, numRuns: 2_000 });
  const reached = [...seen].filter(([, times]) => times >= 10).map(([what]) => what);
  const outcomes = ['admitted', 'denied', 'warned', 'banned'];
  expect(reached).toEqual(
    expect.arrayContaining([
      ...outcomes.flatMap((outcome) => [`${outcome} alone`, `${outcome} in an account`]),
      ...['freed', 'denied by the day', 'denied by what others used'],
      ...['a ban of 2 s', 'a ban of 4 s', 'a ban of 7 s', 'a ban of 300 s'],
      ...['a banned key moved in', 'a banned key moved out'],
    ]),
  );
});

test('in memory, keys that share, move and lose accounts are decided as the model decides', async () => {
  const { inTurn } = createSequenceProperties(({ banPolicy, now }) => [
    { ...createMemoryQuotas({ ...quotaOptions(now), banPolicy }), close() {} },
  ]);
  await fc.assert(inTurn, { seed, numRuns: 600 });
});

describe('on Redis', () => {
  const redis = useRedis();
  const properties = () =>
    createSequenceProperties(({ banPolicy, now }) => {
      const open = () => openRedisQuotas({ redis: redis.connection, banPolicy, now });
      return [open(), open()];
    });

  test('two replicas decide as the model does', async () => {
    await fc.assert(properties().inTurn, { seed, numRuns: 150 });
  });

  test('batches are decided as the model decides their requests one by one', async () => {
    await fc.assert(properties().inBatches, { seed, numRuns: 150 });
  });
});

test('a client that waits as long as Retry-After says is never banned', () => {
  fc.assert(patientClient, { seed, numRuns: 500 });
});

test('such clients use up what they have, and would be banned if they did not wait', () => {
  const clients = sampleClients(100);
  expect(clients.filter(({ told }) => told.has('denied')).length).toBeGreaterThan(50);
  for (const { toldImpatient } of clients) expect(toldImpatient).toContain('banned');
});
