import type { BanPolicy } from '@animal-store/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import type { QuotaResult } from '../../src/quotas/quota-result.ts';
import type { Quotas } from '../../src/quotas/quotas.ts';

/** Quotas under test, with a clock that stands still unless it is moved. */
export interface QuotaSubject {
  readonly quotas: Quotas;
  /** Unix time in milliseconds. */
  now(): number;
  advance(ms: number): Promise<void>;
}

/** The options of all quotas under test. */
export const suiteOptions: { addressPerMinute: number; banPolicy: BanPolicy } = {
  addressPerMinute: 60,
  banPolicy: {
    graceMs: 1_000,
    minStrikes: 10,
    strikeShare: 0.5,
    strikeWindowSeconds: 60,
    banSeconds: 300,
    maxBanSeconds: 3_600,
    memorySeconds: 86_400,
  },
};

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * What quotas must do, to the exact number, in memory and in Redis.
 *
 * @param open opens quotas with {@link suiteOptions} and nothing counted yet.
 */
export function describeQuotas(open: () => Promise<QuotaSubject>): void {
  let subject: QuotaSubject;
  let startedAt: number;

  beforeEach(async () => {
    subject = await open();
    startedAt = subject.now();
  });

  const small = { id: 'small', quota: { perMinute: 3, perDay: 5 } };
  const free = { id: 'free', quota: { perMinute: 60, perDay: 1_000 } };

  async function take(
    key: { id: string; quota: { perMinute: number; perDay: number } },
    times = 1,
  ) {
    const decisions: QuotaResult[] = [];
    for (let i = 0; i < times; i += 1) decisions.push(await subject.quotas.takeForKey(key));
    return decisions;
  }
  const outcomes = (decisions: readonly QuotaResult[]) => decisions.map(({ outcome }) => outcome);
  const seconds = (ms: number) => Math.ceil(ms / 1_000);
  const lastOf = (decisions: readonly QuotaResult[]) => {
    const last = decisions.at(-1);
    if (last === undefined) throw new Error('No decision was taken.');
    return last;
  };

  /** Uses the minute up, then sends as many strikes as leave the key one short of a ban. */
  async function strikeToTheThreshold(key: typeof free) {
    await take(key, key.quota.perMinute + 1);
    await subject.advance(1_000);
    return take(key, 30);
  }

  describe('windows', () => {
    test('the first request opens both windows and costs one in each', async () => {
      expect(await subject.quotas.takeForKey(small)).toMatchObject({
        outcome: 'admitted',
        reported: {
          name: 'minute',
          limit: 3,
          remaining: 2,
          resetAt: seconds(startedAt + minuteMs),
        },
        windows: [
          expect.objectContaining({
            name: 'minute',
            limit: 3,
            remaining: 2,
            resetAt: seconds(startedAt + minuteMs),
            resetInSeconds: 60,
          }),
          expect.objectContaining({
            name: 'day',
            limit: 5,
            remaining: 4,
            resetAt: seconds(startedAt + dayMs),
            resetInSeconds: 86_400,
          }),
        ],
        retryAfterSeconds: 0,
        warned: false,
      });
    });

    test('exactly the limit is admitted, however many ask at once', async () => {
      const decisions = await Promise.all(
        Array.from({ length: 500 }, () => subject.quotas.takeForKey(free)),
      );
      expect(outcomes(decisions).filter((outcome) => outcome === 'admitted')).toHaveLength(60);
      const remaining = decisions
        .filter(({ outcome }) => outcome === 'admitted')
        .map(({ reported }) => reported.remaining);
      expect(new Set(remaining)).toEqual(new Set(Array.from({ length: 60 }, (_, i) => i)));
    });

    test('the reset does not move within a window', async () => {
      const resets = new Set<number>();
      for (let i = 0; i < 59; i += 1) {
        resets.add((await subject.quotas.takeForKey(free)).reported.resetAt);
        await subject.advance(1_000);
      }
      expect(resets).toEqual(new Set([seconds(startedAt + minuteMs)]));
    });

    test("a window ends a minute after its first request, not on the clock's minute", async () => {
      await take(small, 3);
      await subject.advance(minuteMs - 1);
      expect(outcomes(await take(small))).toEqual(['denied']);
      await subject.advance(1);
      expect(outcomes(await take(small))).toEqual(['admitted']);
    });

    test('a request denied by the minute costs nothing of the day', async () => {
      await take(small, 3 + 50);
      await subject.advance(minuteMs);
      expect((await take(small))[0]?.windows[1]).toMatchObject({ name: 'day', remaining: 1 });
    });

    test('a request denied by the day costs nothing of the minute', async () => {
      await take(small, 3);
      await subject.advance(minuteMs);
      await take(small, 2);
      expect((await take(small))[0]).toMatchObject({
        outcome: 'denied',
        reported: { limit: 5, remaining: 0, resetAt: seconds(startedAt + dayMs) },
        windows: [
          { name: 'minute', remaining: 1 },
          { name: 'day', remaining: 0 },
        ],
        retryAfterSeconds: (dayMs - minuteMs) / 1_000,
      });
    });

    test('the day admits again a day after its first request', async () => {
      await take(small, 3);
      await subject.advance(minuteMs);
      await take(small, 3);
      await subject.advance(dayMs - minuteMs - 1);
      expect(outcomes(await take(small))).toEqual(['denied']);
      await subject.advance(1);
      expect((await take(small))[0]).toMatchObject({
        outcome: 'admitted',
        windows: [{ remaining: 2 }, { remaining: 4 }],
      });
    });

    test('keys do not share', async () => {
      await take(small, 3);
      expect(outcomes(await take({ ...small, id: 'other' }))).toEqual(['admitted']);
    });
  });

  describe('what is reported', () => {
    test('the window with least remaining, and the minute if they are even', async () => {
      const key = { id: 'even', quota: { perMinute: 3, perDay: 3 } };
      expect((await take(key))[0]?.reported).toMatchObject({
        name: 'minute',
        limit: 3,
        remaining: 2,
        resetAt: seconds(startedAt + minuteMs),
      });
      await subject.advance(minuteMs);
      expect((await take(key))[0]?.reported).toMatchObject({
        name: 'day',
        limit: 3,
        remaining: 1,
        resetAt: seconds(startedAt + dayMs),
      });
    });

    test('of two windows that deny, the one that resets later', async () => {
      const key = { id: 'both', quota: { perMinute: 2, perDay: 2 } };
      await take(key, 2);
      expect((await take(key))[0]).toMatchObject({
        outcome: 'denied',
        reported: { name: 'day', limit: 2, remaining: 0, resetAt: seconds(startedAt + dayMs) },
        retryAfterSeconds: 86_400,
      });
    });

    test('waiting exactly Retry-After admits, wherever in a second the window began', async () => {
      for (let offset = 0; offset < 1_000; offset += 137) {
        await subject.advance(offset);
        const key = { id: `offset-${offset}`, quota: { perMinute: 1, perDay: 100 } };
        await take(key);
        await subject.advance(Math.floor(offset / 2));
        const denied = lastOf(await take(key));
        expect(denied.outcome).toBe('denied');
        await subject.advance(denied.retryAfterSeconds * 1_000);
        expect(outcomes(await take(key))).toEqual(['admitted']);
      }
    });
  });

  describe('a change of plan', () => {
    test('holds from the next request on and keeps the counts', async () => {
      await take(small, 3);
      expect((await take({ id: 'small', quota: { perMinute: 10, perDay: 100 } }))[0]).toMatchObject(
        {
          outcome: 'admitted',
          windows: [
            { limit: 10, remaining: 6 },
            { limit: 100, remaining: 96 },
          ],
        },
      );
    });

    test('below what was used denies, with nothing remaining', async () => {
      await take(free, 10);
      expect((await take({ id: 'free', quota: { perMinute: 5, perDay: 1_000 } }))[0]).toMatchObject(
        {
          outcome: 'denied',
          reported: { limit: 5, remaining: 0, resetAt: seconds(startedAt + minuteMs) },
        },
      );
    });
  });

  describe('bans', () => {
    test('denials within a second of the first are no strikes', async () => {
      await take(free, 60);
      await take(free, 200);
      await subject.advance(999);
      expect(new Set(outcomes(await take(free, 200)))).toEqual(new Set(['denied']));
    });

    test('half the threshold warns, and one strike above the threshold bans', async () => {
      const strikes = await strikeToTheThreshold(free);
      expect(outcomes(strikes)).toEqual(Array(30).fill('denied'));
      expect(strikes.map(({ warned }) => warned)).toEqual([
        ...Array(14).fill(false),
        ...Array(16).fill(true),
      ]);
      expect((await take(free))[0]).toMatchObject({
        outcome: 'banned',
        reported: { limit: 60, remaining: 0, resetAt: seconds(subject.now() + 300_000) },
        retryAfterSeconds: 300,
      });
    });

    test('a small quota has ten strikes', async () => {
      await take(small, 4);
      await subject.advance(1_000);
      expect(outcomes(await take(small, 11))).toEqual([...Array(10).fill('denied'), 'banned']);
    });

    test('requests during a ban neither extend it nor count, and it ends on time', async () => {
      await strikeToTheThreshold(free);
      const { reported } = lastOf(await take(free));
      for (let i = 0; i < 10; i += 1) {
        await subject.advance(29_000);
        expect((await take(free, 20)).map((decision) => decision.reported.resetAt)).toEqual(
          Array(20).fill(reported.resetAt),
        );
      }
      await subject.advance(300_000 - 290_000 - 1);
      expect(outcomes(await take(free))).toEqual(['banned']);
      await subject.advance(1);
      expect((await take(free))[0]).toMatchObject({
        outcome: 'admitted',
        windows: [{ remaining: 59 }, { remaining: 1_000 - 61 }],
      });
    });

    test('each further ban is twice as long, up to an hour', async () => {
      const lengths: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        await strikeToTheThreshold(free);
        const { retryAfterSeconds, outcome } = lastOf(await take(free));
        expect(outcome).toBe('banned');
        lengths.push(retryAfterSeconds);
        await subject.advance(retryAfterSeconds * 1_000);
      }
      expect(lengths).toEqual([300, 600, 1_200, 2_400, 3_600, 3_600]);
    });

    test('a day after the last ban, the next is as short as the first', async () => {
      await strikeToTheThreshold(free);
      await take(free);
      await subject.advance(dayMs);
      await strikeToTheThreshold(free);
      expect(lastOf(await take(free)).retryAfterSeconds).toBe(300);
    });

    test('strikes are forgotten a minute after the first of them', async () => {
      await take(free, 61);
      await subject.advance(40_000);
      await take(free, 30);
      // The minute ends; the next one is used up, and its denials begin an episode of their own.
      await subject.advance(20_000);
      await take(free, 61);
      await subject.advance(40_000);
      expect(outcomes(await take(free, 30))).toEqual(Array(30).fill('denied'));
    });

    test('an admitted request ends the episode: the next denial is a first one again', async () => {
      await take(free, 61);
      await subject.advance(minuteMs);
      await take(free, 60);
      expect(new Set(outcomes(await take(free, 100)))).toEqual(new Set(['denied']));
    });

    test('a key that waits as it is told is never banned', async () => {
      for (let i = 0; i < 40; i += 1) {
        const decisions = await take(free, 61);
        expect(outcomes(decisions).at(-1)).toBe('denied');
        await subject.advance(lastOf(decisions).retryAfterSeconds * 1_000);
      }
    });
  });

  describe('networks', () => {
    test('a network without a key has its own limit, in one window', async () => {
      const decisions: QuotaResult[] = [];
      for (let i = 0; i < 61; i += 1)
        decisions.push(await subject.quotas.takeForNetwork('192.0.2.1'));
      expect(decisions[0]).toMatchObject({
        outcome: 'admitted',
        reported: {
          name: 'minute',
          limit: 60,
          remaining: 59,
          resetAt: seconds(startedAt + minuteMs),
        },
        windows: [
          expect.objectContaining({ name: 'minute', limit: 60, remaining: 59, resetInSeconds: 60 }),
        ],
        retryAfterSeconds: 0,
        warned: false,
      });
      expect(outcomes(decisions).at(59)).toBe('admitted');
      expect(decisions.at(60)).toMatchObject({
        outcome: 'denied',
        reported: { remaining: 0 },
        retryAfterSeconds: 60,
      });
      expect(await subject.quotas.takeForNetwork('192.0.2.2')).toMatchObject({
        outcome: 'admitted',
      });
      await subject.advance(minuteMs);
      expect(await subject.quotas.takeForNetwork('192.0.2.1')).toMatchObject({
        outcome: 'admitted',
      });
    });

    test('looking counts nothing', async () => {
      await subject.quotas.takeForNetwork('192.0.2.1');
      const looks = [
        subject.quotas.peekNetwork('192.0.2.1'),
        subject.quotas.peekNetwork('192.0.2.1'),
      ];
      expect(looks.map(({ reported }) => reported.remaining)).toEqual([59, 59]);
      expect(subject.quotas.peekNetwork('192.0.2.9').reported).toMatchObject({
        limit: 60,
        remaining: 60,
        resetInSeconds: 60,
      });
    });

    test('a key and a network of the same name do not share', async () => {
      await take({ ...small, id: '192.0.2.1' }, 3);
      expect((await subject.quotas.takeForNetwork('192.0.2.1')).reported.remaining).toBe(59);
    });
  });
  describe('what an operator sees and does', () => {
    test('usage tells both windows and the strikes, and counts nothing', async () => {
      await take(free, 61);
      await subject.advance(1_000);
      await take(free, 5);
      const usage = await subject.quotas.usageOf(free);
      expect(usage).toMatchObject({
        scope: 'service',
        windows: [
          { name: 'minute', limit: 60, remaining: 0, resetAt: seconds(startedAt + minuteMs) },
          { name: 'day', limit: 1_000, remaining: 940, resetAt: seconds(startedAt + dayMs) },
        ],
        strikes: 5,
        strikeThreshold: 30,
        bannedUntil: undefined,
      });
      expect(await subject.quotas.usageOf(free)).toEqual(usage);
    });

    test('an unban ends the ban, forgets strikes and earlier bans, and keeps the counts', async () => {
      await strikeToTheThreshold(free);
      await take(free);
      expect((await subject.quotas.usageOf(free)).bannedUntil).toBe(
        seconds(subject.now() + 300_000),
      );
      await subject.quotas.unban(free.id);
      expect((await take(free))[0]).toMatchObject({
        outcome: 'denied',
        windows: [{ remaining: 0 }, { remaining: 940 }],
      });
      await subject.advance(1_000);
      await take(free, 30);
      expect(lastOf(await take(free))).toMatchObject({ outcome: 'banned', retryAfterSeconds: 300 });
    });
  });
}
