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
} from './quota-subject.ts';

/** When a request is admitted, and what is reported of the windows. */
export function describeWindows(subject: QuotaSubject): void {
  describe('windows', () => {
    test('the first request opens both windows and costs one in each', async () => {
      expect(await subject.quotas.keys.take(small)).toMatchObject({
        outcome: 'admitted',
        reported: {
          name: 'minute',
          limit: 3,
          remaining: 2,
          resetAt: seconds(subject.startedAt + minuteMs),
        },
        windows: [
          expect.objectContaining({
            name: 'minute',
            limit: 3,
            remaining: 2,
            resetAt: seconds(subject.startedAt + minuteMs),
            resetInSeconds: 60,
          }),
          expect.objectContaining({
            name: 'day',
            limit: 5,
            remaining: 4,
            resetAt: seconds(subject.startedAt + dayMs),
            resetInSeconds: 86_400,
          }),
        ],
        retryAfterSeconds: 0,
        warned: false,
      });
    });

    test('exactly the limit is admitted, however many ask at once', async () => {
      const decisions = await Promise.all(
        Array.from({ length: 500 }, () => subject.quotas.keys.take(free)),
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
        resets.add((await subject.quotas.keys.take(free)).reported.resetAt);
        await subject.advance(1_000);
      }
      expect(resets).toEqual(new Set([seconds(subject.startedAt + minuteMs)]));
    });

    test("a window ends a minute after its first request, not on the clock's minute", async () => {
      await subject.take(small, 3);
      await subject.advance(minuteMs - 1);
      expect(outcomes(await subject.take(small))).toEqual(['denied']);
      await subject.advance(1);
      expect(outcomes(await subject.take(small))).toEqual(['admitted']);
    });

    test('a request denied by the minute costs nothing of the day', async () => {
      await subject.take(small, 3 + 50);
      await subject.advance(minuteMs);
      expect((await subject.take(small))[0]?.windows[1]).toMatchObject({
        name: 'day',
        remaining: 1,
      });
    });

    test('a request denied by the day costs nothing of the minute', async () => {
      await subject.take(small, 3);
      await subject.advance(minuteMs);
      await subject.take(small, 2);
      expect((await subject.take(small))[0]).toMatchObject({
        outcome: 'denied',
        reported: { limit: 5, remaining: 0, resetAt: seconds(subject.startedAt + dayMs) },
        windows: [
          { name: 'minute', remaining: 1 },
          { name: 'day', remaining: 0 },
        ],
        retryAfterSeconds: (dayMs - minuteMs) / 1_000,
      });
    });

    test('the day admits again a day after its first request', async () => {
      await subject.take(small, 3);
      await subject.advance(minuteMs);
      await subject.take(small, 3);
      await subject.advance(dayMs - minuteMs - 1);
      expect(outcomes(await subject.take(small))).toEqual(['denied']);
      await subject.advance(1);
      expect((await subject.take(small))[0]).toMatchObject({
        outcome: 'admitted',
        windows: [{ remaining: 2 }, { remaining: 4 }],
      });
    });

    test('keys do not share', async () => {
      await subject.take(small, 3);
      expect(outcomes(await subject.take({ ...small, id: 'other' }))).toEqual(['admitted']);
    });
  });

  describe('what is reported', () => {
    test('the window with least remaining, and the minute if they are even', async () => {
      const key = { id: 'even', quota: { perMinute: 3, perDay: 3 } };
      expect((await subject.take(key))[0]?.reported).toMatchObject({
        name: 'minute',
        limit: 3,
        remaining: 2,
        resetAt: seconds(subject.startedAt + minuteMs),
      });
      await subject.advance(minuteMs);
      expect((await subject.take(key))[0]?.reported).toMatchObject({
        name: 'day',
        limit: 3,
        remaining: 1,
        resetAt: seconds(subject.startedAt + dayMs),
      });
    });

    test('of two windows that deny, the one that resets later', async () => {
      const key = { id: 'both', quota: { perMinute: 2, perDay: 2 } };
      await subject.take(key, 2);
      expect((await subject.take(key))[0]).toMatchObject({
        outcome: 'denied',
        reported: {
          name: 'day',
          limit: 2,
          remaining: 0,
          resetAt: seconds(subject.startedAt + dayMs),
        },
        retryAfterSeconds: 86_400,
      });
    });

    test('waiting exactly Retry-After admits, wherever in a second the window began', async () => {
      for (let offset = 0; offset < 1_000; offset += 137) {
        await subject.advance(offset);
        const key = { id: `offset-${offset}`, quota: { perMinute: 1, perDay: 100 } };
        await subject.take(key);
        await subject.advance(Math.floor(offset / 2));
        const denied = lastOf(await subject.take(key));
        expect(denied.outcome).toBe('denied');
        await subject.advance(denied.retryAfterSeconds * 1_000);
        expect(outcomes(await subject.take(key))).toEqual(['admitted']);
      }
    });
  });

  describe('a change of plan', () => {
    test('holds from the next request on and keeps the counts', async () => {
      await subject.take(small, 3);
      expect(
        (await subject.take({ id: 'small', quota: { perMinute: 10, perDay: 100 } }))[0],
      ).toMatchObject({
        outcome: 'admitted',
        windows: [
          { limit: 10, remaining: 6 },
          { limit: 100, remaining: 96 },
        ],
      });
    });

    test('below what was used denies, with nothing remaining', async () => {
      await subject.take(free, 10);
      expect(
        (await subject.take({ id: 'free', quota: { perMinute: 5, perDay: 1_000 } }))[0],
      ).toMatchObject({
        outcome: 'denied',
        reported: { limit: 5, remaining: 0, resetAt: seconds(subject.startedAt + minuteMs) },
      });
    });
  });
}
