import { beforeEach, describe, expect, test } from 'vitest';
import type { KeyReading } from './decision.ts';
import { createRememberedBans } from './remembered-bans.ts';

const redisNow = 1_800_000_000_321;

const window = { used: 0, endsAtMs: undefined };

function readingOf(bannedUntilMs: number | undefined): KeyReading {
  return { now: redisNow, admitted: false, minute: window, day: window, bannedUntilMs, strikes: 0 };
}

describe('remembered bans', () => {
  let now: number;
  let bans: ReturnType<typeof createRememberedBans>;

  beforeEach(() => {
    now = 5_000;
    bans = createRememberedBans(() => now);
  });

  test('a ban is told without asking, by the time that has passed', () => {
    bans.remember('key', readingOf(redisNow + 60_000), now);
    now += 1_500;
    expect(bans.recall('key')).toEqual({
      ...readingOf(redisNow + 60_000),
      now: redisNow + 1_500,
    });
    expect(bans.recall('other')).toBeUndefined();
  });

  test('what is no ban is not remembered', () => {
    bans.remember('key', readingOf(undefined), now);
    expect(bans.recall('key')).toBeUndefined();
  });

  // Regression: all requests that came before the answer asked, too: twenty commands instead of one.
  test('every two seconds one request asks, and those that come before its answer do not', () => {
    bans.remember('key', readingOf(redisNow + 60_000), now);
    let asked = 0;
    for (let i = 0; i < 100; i += 1) {
      now += 100;
      for (let j = 0; j < 10; j += 1) if (bans.recall('key') === undefined) asked += 1;
    }
    expect(asked).toBe(5);
  });

  // Regression: by a replica that had waited long for Redis, a ban lasted longer than another had told.
  test('an answer that took long neither prolongs a ban nor shortens the wait that is told', () => {
    bans.remember('key', readingOf(redisNow + 1_000), now - 140);
    now += 859;
    // It may be 140 ms later by now, or not.
    expect(bans.recall('key')?.now).toBe(redisNow + 859);
    now += 1;
    expect(bans.recall('key')).toBeUndefined();
  });

  test('a pardoned key is forgotten at once', () => {
    bans.remember('key', readingOf(redisNow + 60_000), now);
    bans.forget('key');
    expect(bans.recall('key')).toBeUndefined();
  });

  test('ten thousand keys are remembered, and of more the latest', () => {
    for (let i = 0; i <= 10_000; i += 1) {
      bans.remember(`key ${i}`, readingOf(redisNow + 60_000), now);
    }
    expect(bans.recall('key 0')).toBeUndefined();
    expect(bans.recall('key 1')).toBeDefined();
    expect(bans.recall('key 10000')).toBeDefined();
  });
});
