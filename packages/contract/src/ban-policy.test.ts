import { expect, test } from 'vitest';
import { banLengthSeconds, defaultBanPolicy, isWarned, strikeThreshold } from './ban-policy.ts';
import { plans } from './plan.ts';

test('a key can have half its limit per minute in strikes, and never fewer than ten', () => {
  expect(strikeThreshold(defaultBanPolicy, plans.free)).toBe(30);
  expect(strikeThreshold(defaultBanPolicy, plans.pro)).toBe(150);
  expect(strikeThreshold(defaultBanPolicy, plans.business)).toBe(500);
  expect(strikeThreshold(defaultBanPolicy, { perMinute: 5 })).toBe(10);
  expect(strikeThreshold(defaultBanPolicy, { perMinute: 25 })).toBe(12);
});

test('without bans there is no threshold and no warning', () => {
  const threshold = strikeThreshold({ ...defaultBanPolicy, minStrikes: 0 }, plans.free);
  expect(threshold).toBeUndefined();
  expect(isWarned(1_000, threshold)).toBe(false);
});

test('a key is warned from half the threshold on', () => {
  expect([14, 15, 30].map((strikes) => isWarned(strikes, 30))).toEqual([false, true, true]);
});

test('each further ban lasts twice as long, up to an hour', () => {
  expect([1, 2, 3, 4, 5, 9].map((nth) => banLengthSeconds(defaultBanPolicy, nth))).toEqual([
    300, 600, 1_200, 2_400, 3_600, 3_600,
  ]);
});
