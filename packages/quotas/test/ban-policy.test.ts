import { expect, test } from 'vitest';
import {
  banLengthSeconds,
  defaultBanPolicy,
  isWarned,
  strikeThreshold,
} from '../src/ban-policy.ts';

test.each([
  [60, 30],
  [300, 150],
  [1_000, 500],
  [5, 10],
  [25, 12],
])(
  'strikeThreshold for a limit of %i requests a minute returns %i strikes (denied requests before a ban)',
  (perMinute, strikes) => {
    expect(strikeThreshold(defaultBanPolicy, { perMinute })).toBe(strikes);
  },
);

test('isWarned returns true from half of the ban threshold on, and always false when bans are switched off', () => {
  expect([14, 15, 30].map((strikes) => isWarned(strikes, 30))).toEqual([false, true, true]);
  const threshold = strikeThreshold({ ...defaultBanPolicy, minStrikes: 0 }, { perMinute: 60 });
  expect([threshold, isWarned(1_000, threshold)]).toEqual([undefined, false]);
});

test('banLengthSeconds doubles the length of a ban with each further ban, up to an hour', () => {
  expect([1, 2, 4, 5, 9].map((nth) => banLengthSeconds(defaultBanPolicy, nth))).toEqual([
    300, 600, 2_400, 3_600, 3_600,
  ]);
});
