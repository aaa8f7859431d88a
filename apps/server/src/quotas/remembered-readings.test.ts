import { beforeEach, describe, expect, test } from 'vitest';
import type { QuotaReading } from './quota-result.ts';
import { rememberReadings } from './remembered-readings.ts';

const redisNow = 1_800_000_000_321;

const notOpen = { used: 0, endsAtMs: 0 };

function readingOf(bannedUntilMs: number): QuotaReading {
  const outcome = bannedUntilMs === 0 ? 'denied' : 'banned';
  return { now: redisNow, outcome, minute: notOpen, day: notOpen, bannedUntilMs, strikes: 0 };
}

describe('remembered readings', () => {
  let now: number;
  let bans: ReturnType<typeof rememberReadings<QuotaReading>>;

  beforeEach(() => {
    now = 5_000;
    bans = rememberReadings({
      clock: () => now,
      endOf: ({ bannedUntilMs }) => bannedUntilMs,
      believedMs: 2_000,
    });
  });

  test('a ban is reported without asking Redis, with the time that has passed', () => {
    bans.remember('key', readingOf(redisNow + 60_000), now);
    now += 1_500;
    expect(bans.recall('key')).toEqual({
      ...readingOf(redisNow + 60_000),
      now: redisNow + 1_500,
    });
    expect(bans.recall('other')).toBeUndefined();
  });

  test('a reading that has ended is not recalled', () => {
    bans.remember('key', readingOf(0), now);
    expect(bans.recall('key')).toBeUndefined();
  });

  // Regression: all requests that arrived before the answer asked too: twenty commands instead of one.
  test('every two seconds one request asks Redis, and those that arrive before its answer do not', () => {
    bans.remember('key', readingOf(redisNow + 60_000), now);
    let asked = 0;
    for (let i = 0; i < 100; i += 1) {
      now += 100;
      for (let j = 0; j < 10; j += 1) if (bans.recall('key') === undefined) asked += 1;
    }
    expect(asked).toBe(5);
  });

  // Regression: on a replica that waited long for Redis, a ban lasted longer than another reported.
  test('a slow answer neither prolongs a ban nor shortens the reported wait', () => {
    bans.remember('key', readingOf(redisNow + 1_000), now - 140);
    now += 859;
    // It may be 140 ms later by now, or not.
    expect(bans.recall('key')?.now).toBe(redisNow + 859);
    now += 1;
    expect(bans.recall('key')).toBeUndefined();
  });

  test('an unbanned key is forgotten at once', () => {
    bans.remember('key', readingOf(redisNow + 60_000), now);
    bans.forget('key');
    expect(bans.recall('key')).toBeUndefined();
  });

  test('the latest ten thousand keys are remembered', () => {
    for (let i = 0; i <= 10_000; i += 1) {
      bans.remember(`key ${i}`, readingOf(redisNow + 60_000), now);
    }
    expect(bans.recall('key 0')).toBeUndefined();
    expect(bans.recall('key 1')).toBeDefined();
    expect(bans.recall('key 10000')).toBeDefined();
  });
});
