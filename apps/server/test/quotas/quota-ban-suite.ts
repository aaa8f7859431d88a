import { describe, expect, test } from 'vitest';
import {
  dayMs,
  free,
  lastOf,
  minuteMs,
  outcomes,
  type QuotaSubject,
  seconds,
  small,
  strikeToTheThreshold,
} from './quota-subject.ts';

/** What counts as a strike, and when a key is banned and freed. */
export function describeBans(subject: QuotaSubject): void {
  describe('bans', () => {
    test('denials within a second of the first are no strikes', async () => {
      await subject.take(free, 60);
      await subject.take(free, 200);
      await subject.advance(999);
      expect(new Set(outcomes(await subject.take(free, 200)))).toEqual(new Set(['denied']));
    });

    test('half the threshold warns, and one strike above the threshold bans', async () => {
      const strikes = await strikeToTheThreshold(subject, free);
      expect(outcomes(strikes)).toEqual(Array(30).fill('denied'));
      expect(strikes.map(({ warned }) => warned)).toEqual([
        ...Array(14).fill(false),
        ...Array(16).fill(true),
      ]);
      expect((await subject.take(free))[0]).toMatchObject({
        outcome: 'banned',
        reported: { limit: 60, remaining: 0, resetAt: seconds(subject.now() + 300_000) },
        retryAfterSeconds: 300,
      });
    });

    test('a small quota has ten strikes', async () => {
      await subject.take(small, 4);
      await subject.advance(1_000);
      expect(outcomes(await subject.take(small, 11))).toEqual([
        ...Array(10).fill('denied'),
        'banned',
      ]);
    });

    test('requests during a ban neither extend it nor count, and it ends on time', async () => {
      await strikeToTheThreshold(subject, free);
      const { reported } = lastOf(await subject.take(free));
      for (let i = 0; i < 10; i += 1) {
        await subject.advance(29_000);
        expect((await subject.take(free, 20)).map((decision) => decision.reported.resetAt)).toEqual(
          Array(20).fill(reported.resetAt),
        );
      }
      await subject.advance(300_000 - 290_000 - 1);
      expect(outcomes(await subject.take(free))).toEqual(['banned']);
      await subject.advance(1);
      expect((await subject.take(free))[0]).toMatchObject({
        outcome: 'admitted',
        windows: [{ remaining: 59 }, { remaining: 1_000 - 61 }],
      });
    });

    test('each further ban is twice as long, up to an hour', async () => {
      const lengths: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        await strikeToTheThreshold(subject, free);
        const { retryAfterSeconds, outcome } = lastOf(await subject.take(free));
        expect(outcome).toBe('banned');
        lengths.push(retryAfterSeconds);
        await subject.advance(retryAfterSeconds * 1_000);
      }
      expect(lengths).toEqual([300, 600, 1_200, 2_400, 3_600, 3_600]);
    });

    test('a day after the last ban, the next is as short as the first', async () => {
      await strikeToTheThreshold(subject, free);
      await subject.take(free);
      await subject.advance(dayMs);
      await strikeToTheThreshold(subject, free);
      expect(lastOf(await subject.take(free)).retryAfterSeconds).toBe(300);
    });

    test('strikes are forgotten a minute after the first of them', async () => {
      await subject.take(free, 61);
      await subject.advance(40_000);
      await subject.take(free, 30);
      // The minute ends; the next one is used up, and its denials begin an episode of their own.
      await subject.advance(20_000);
      await subject.take(free, 61);
      await subject.advance(40_000);
      expect(outcomes(await subject.take(free, 30))).toEqual(Array(30).fill('denied'));
    });

    test('an admitted request ends the episode: the next denial is a first one again', async () => {
      await subject.take(free, 61);
      await subject.advance(minuteMs);
      await subject.take(free, 60);
      expect(new Set(outcomes(await subject.take(free, 100)))).toEqual(new Set(['denied']));
    });

    test('a key that waits as it is told is never banned', async () => {
      for (let i = 0; i < 40; i += 1) {
        const decisions = await subject.take(free, 61);
        expect(outcomes(decisions).at(-1)).toBe('denied');
        await subject.advance(lastOf(decisions).retryAfterSeconds * 1_000);
      }
    });
  });
}
