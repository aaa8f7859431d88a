import { describe, expect, test } from 'vitest';
import {
  dayMs,
  free,
  lastOf,
  minuteMs,
  type QuotaSubject,
  seconds,
  strikeToTheThreshold,
} from './quota-subject.ts';

/** What operators see of a quota, and the end of a ban by their hand. */
export function describeOperations(subject: QuotaSubject): void {
  describe('what an operator sees and does', () => {
    test('usage tells both windows and the strikes, and counts nothing', async () => {
      await subject.take(free, 61);
      await subject.advance(1_000);
      await subject.take(free, 5);
      const usage = await subject.quotas.keys.look(free);
      expect(usage).toMatchObject({
        scope: 'service',
        windows: [
          {
            name: 'minute',
            limit: 60,
            remaining: 0,
            resetAt: seconds(subject.startedAt + minuteMs),
          },
          {
            name: 'day',
            limit: 1_000,
            remaining: 940,
            resetAt: seconds(subject.startedAt + dayMs),
          },
        ],
        strikes: 5,
        // A minute after the first of them.
        strikesResetAt: seconds(subject.now() + minuteMs),
        strikeThreshold: 30,
        bannedUntil: undefined,
      });
      expect(await subject.quotas.keys.look(free)).toEqual(usage);
    });

    test('an unban ends the ban, forgets strikes and earlier bans, and keeps the counts', async () => {
      await strikeToTheThreshold(subject, free);
      await subject.take(free);
      expect((await subject.quotas.keys.look(free)).bannedUntil).toBe(
        seconds(subject.now() + 300_000),
      );
      await subject.quotas.keys.unban(free);
      expect((await subject.take(free))[0]).toMatchObject({
        outcome: 'denied',
        windows: [{ remaining: 0 }, { remaining: 940 }],
      });
      await subject.advance(1_000);
      await subject.take(free, 30);
      expect(lastOf(await subject.take(free))).toMatchObject({
        outcome: 'banned',
        retryAfterSeconds: 300,
      });
    });
  });
}
