import { expect, test } from 'vitest';
import { differenceOf } from './state-difference.ts';

const quota = { perMinute: 60, perDay: 1_000 };

test('leaves the members that differ', () => {
  expect(
    differenceOf(
      { name: 'a', account: null, plan: 'free', quota, tokens: [] },
      { name: 'a', account: 'b', plan: 'pro', quota: { ...quota, perDay: 2_000 }, tokens: [] },
    ),
  ).toEqual({
    before: { account: null, plan: 'free', quota },
    after: { account: 'b', plan: 'pro', quota: { ...quota, perDay: 2_000 } },
  });
});

test('is nothing if all members are the same', () => {
  expect(differenceOf({ name: null, quota }, { name: null, quota: { ...quota } })).toBeUndefined();
});

test('leaves what something new has', () => {
  expect(differenceOf(undefined, { name: 'a', account: null, quota })).toEqual({
    before: {},
    after: { name: 'a', quota },
  });
});
