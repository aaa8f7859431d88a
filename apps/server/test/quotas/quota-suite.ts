import { expect, test } from 'vitest';
import type { OnBan } from '../../src/quotas/ban-rule.ts';
import type { LimitedKey } from '../../src/quotas/limited-key.ts';
import type { Quotas } from '../../src/quotas/open-quotas.ts';
import type { QuotaDecision } from '../../src/quotas/quota-decision.ts';
import { examples, free, one, other, strikeOut } from './quota-examples.ts';
import { describeDecision, startMs } from './quota-sequences.ts';

/**
 * What quotas must do, in memory and in Redis alike. `quota-model.test.ts` compares both with a model.
 *
 * @param open opens quotas with nothing counted yet.
 */
export function testQuotas(
  open: (options: { now: () => number; onBan: OnBan }) => Promise<Quotas>,
): void {
  /** Opens quotas whose clock stands still unless it is moved. */
  async function begin() {
    let now = startMs;
    const bans: Parameters<OnBan>[0][] = [];
    const quotas = await open({ now: () => now, onBan: (ban) => bans.push(ban) });
    async function take(key: LimitedKey, times = 1): Promise<QuotaDecision[]> {
      const decisions: QuotaDecision[] = [];
      for (let i = 0; i < times; i += 1) decisions.push(await quotas.keys.take(key));
      return decisions;
    }
    return {
      ...quotas,
      bans,
      /** Plays an example, and expects what it tells. */
      async play(steps: (typeof examples)[string]): Promise<void> {
        for (const [afterMs, key, times, told, last = ''] of steps) {
          now += afterMs;
          const decisions = await take(key, times);
          expect(countOutcomes(decisions)).toBe(told);
          expect(describeDecision(decisions.at(-1) as QuotaDecision)).toContain(last);
        }
      },
    };
  }

  test.each(Object.entries(examples))('%s', async (_title, steps) => {
    const { play } = await begin();
    await play(steps);
  });

  test('exactly the limit is admitted, each with another number left, however many ask at once', async () => {
    const { keys } = await begin();
    const decisions = await Promise.all(Array.from({ length: 500 }, () => keys.take(free)));
    const admitted = decisions.filter(({ outcome }) => outcome === 'admitted');
    expect(new Set(admitted.map(({ reported }) => reported.remaining)).size).toBe(60);
    expect(admitted).toHaveLength(60);
  });

  test('a look tells windows, strikes and ban, and counts nothing', async () => {
    const { keys, play } = await begin();
    await play(strikeOut(free));
    const look = await keys.look(free);
    expect(describeDecision(look)).toContain(
      '(minute 0/60 @61 in 59, day 940/1000 @86401 in 86399)',
    );
    expect(look).toMatchObject({
      scope: 'service',
      strikes: 30,
      // A minute after the first of them.
      strikesResetAt: 1_800_000_062,
      strikeThreshold: 30,
      bannedUntil: undefined,
      warned: false,
    });
    expect(await keys.look(free)).toEqual(look);
    await play([[0, free, 1, '1 banned']]);
    expect(await keys.look(free)).toMatchObject({ strikes: 0, bannedUntil: 1_800_000_302 });
    await play([[61_000, free, 1, '1 banned']]);
    expect(describeDecision(await keys.look(free))).toContain('minute 60/60 @123');
  });

  test('the beginning of a ban is told once', async () => {
    const { bans, keys, play } = await begin();
    await play(strikeOut(one));
    await Promise.all(Array.from({ length: 20 }, () => keys.take(one)));
    expect(bans).toEqual([{ keyId: 'one', seconds: 300, startedAtMs: startMs + 1_000 }]);
  });

  test.each([
    ['by itself', free],
    ['in an account', one],
  ])(
    'an unban of a key %s forgets strikes and earlier bans, and keeps the counts',
    async (_, key) => {
      const { keys, play } = await begin();
      await play([...strikeOut(key), [0, key, 1, '1 banned']]);
      await keys.unban(key);
      await play([
        [0, key, 1, '1 denied', '(minute 0/60 @61 in 59, day 940/1000'],
        [1_000, key, 31, '30 denied, 1 banned', 'wait 300 '],
      ]);
    },
  );

  test('an unban of a key leaves the bans of others of its account', async () => {
    const { keys, play } = await begin();
    await play([...strikeOut(one), [0, one, 1, '1 banned'], [0, other, 1, '1 denied']]);
    await play([[1_000, other, 31, '30 denied, 1 banned']]);
    await keys.unban(one);
    await play([
      [0, one, 1, '1 denied'],
      [0, other, 1, '1 banned'],
    ]);
  });

  test('a key takes its ban along when it leaves its account and comes back, and no fresh quota', async () => {
    const { keys, play } = await begin();
    const alone = { ...one, accountId: undefined };
    await play([...strikeOut(one), [0, one, 1, '1 banned']]);
    await keys.moveBan(one, alone);
    await play([[2_000, alone, 1, '1 banned', '@302 wait 298']]);
    await keys.moveBan(alone, one);
    await play([[0, one, 1, '1 banned', '@302 wait 298']]);
    await keys.unban(one);
    await play([[0, one, 1, '1 denied', '(minute 0/60 @61 in 57, day 940/1000']]);
  });

  test('a network has one window of its own, and a look at it counts nothing', async () => {
    const { keys, networks } = await begin();
    const ask = (network = '192.0.2.1') => networks.take(network);
    await keys.take({ ...free, id: '192.0.2.1' });
    expect(describeDecision(networks.peek('192.0.2.1'))).toBe(
      'admitted by minute 60/60 @61 (minute 60/60 @61 in 60)',
    );
    expect(describeDecision(await ask())).toMatch(
      /^admitted by minute 59\/60 @\d+ \(minute 59\/60 @\d+ in \d+\)$/,
    );
    const decisions = await Promise.all(Array.from({ length: 60 }, () => ask()));
    expect(countOutcomes(decisions)).toBe('59 admitted, 1 denied');
    expect(decisions.at(-1)).toMatchObject({
      reported: { limit: 60, remaining: 0 },
      windows: [{}],
    });
    expect(networks.peek('192.0.2.1')).toMatchObject({
      outcome: 'denied',
      reported: { remaining: 0 },
    });
    expect((await ask('192.0.2.2')).reported.remaining).toBe(59);
  });
}

/** How many in a row were admitted, denied, and so on. */
function countOutcomes(decisions: readonly QuotaDecision[]): string {
  const runs: { outcome: string; times: number }[] = [];
  for (const { outcome } of decisions) {
    const last = runs.at(-1);
    if (last?.outcome === outcome) last.times += 1;
    else runs.push({ outcome, times: 1 });
  }
  return runs.map(({ outcome, times }) => `${times} ${outcome}`).join(', ');
}
