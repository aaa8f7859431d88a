import { describe, expect, test } from 'vitest';
import {
  minuteMs,
  outcomes,
  type QuotaSubject,
  seconds,
  strikeToTheThreshold,
} from './quota-subject.ts';

const quota = { perMinute: 60, perDay: 1_000 };
const one = { id: 'one', accountId: 'shared', quota };
const other = { id: 'other', accountId: 'shared', quota };
const alone = { id: 'one', quota: { perMinute: 60, perDay: 1_000 } };

/** A request is counted against its subject, and bans belong to keys. */
export function describeAccounts(subject: QuotaSubject): void {
  describe('keys of an account', () => {
    test('share one minute and one day, exactly', async () => {
      const decisions = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          subject.quotas.keys.take({ ...one, id: `key ${i % 10}` }),
        ),
      );
      const admitted = decisions.filter(({ outcome }) => outcome === 'admitted');
      expect(admitted.map(({ windows }) => windows.map(({ remaining }) => remaining))).toEqual(
        expect.arrayContaining(Array.from({ length: 60 }, (_, i) => [i, 940 + i])),
      );
      expect(admitted).toHaveLength(60);
      expect(new Set(decisions.map(({ reported }) => reported.resetAt)).size).toBe(1);
    });

    test('have none of the windows that a key of the same id has by itself', async () => {
      await subject.take(one, 60);
      expect(outcomes(await subject.take(one))).toEqual(['denied']);
      expect(await subject.take(alone)).toMatchObject([
        { outcome: 'admitted', windows: [{ remaining: 59 }, { remaining: 999 }] },
      ]);
    });

    test('do not ban each other: who is denied has own strikes', async () => {
      await strikeToTheThreshold(subject, one);
      expect(outcomes(await subject.take(one))).toEqual(['banned']);
      expect(await subject.take(other)).toMatchObject([{ outcome: 'denied', strikes: 0 }]);
      await subject.advance(minuteMs);
      expect(outcomes(await subject.take(one))).toEqual(['banned']);
      expect(outcomes(await subject.take(other))).toEqual(['admitted']);
    });

    test('begin a new episode in each window that others have used up', async () => {
      await subject.take(one, 61);
      await subject.advance(minuteMs);
      await subject.take(other, 60);
      // A first denial, although the key has not been admitted since the one before.
      await subject.advance(2_000);
      expect(await subject.take(one)).toMatchObject([{ outcome: 'denied', strikes: 0 }]);
      await subject.advance(1_000);
      expect(await subject.take(one)).toMatchObject([{ outcome: 'denied', strikes: 1 }]);
    });

    test('are unbanned one by one, and the counts stay', async () => {
      await strikeToTheThreshold(subject, one);
      await subject.take(one);
      await strikeToTheThreshold(subject, other);
      await subject.take(other);
      await subject.quotas.keys.unban(one);
      expect(await subject.take(one)).toMatchObject([{ outcome: 'denied', strikes: 0 }]);
      expect(outcomes(await subject.take(other))).toEqual(['banned']);
    });

    test('take a ban along when they leave the account, and when they come back', async () => {
      await strikeToTheThreshold(subject, one);
      await subject.take(one);
      const bannedUntil = seconds(subject.now() + 300_000);
      await subject.quotas.keys.moveBan(one, alone);
      expect(await subject.take(alone)).toMatchObject([{ outcome: 'banned', bannedUntil }]);
      await subject.quotas.keys.unban(alone);
      await subject.quotas.keys.moveBan(alone, one);
      await subject.advance(minuteMs);
      expect(await subject.take(one)).toMatchObject([
        { outcome: 'admitted', windows: [{ remaining: 59 }, { remaining: 939 }] },
      ]);
    });

    test('get no fresh quota by leaving the account and coming back', async () => {
      await subject.take(one, 60);
      await subject.quotas.keys.moveBan(one, alone);
      await subject.take(alone);
      await subject.quotas.keys.moveBan(alone, one);
      expect(outcomes(await subject.take(one))).toEqual(['denied']);
    });
  });
}
