import { expect, test } from 'vitest';
import { planNames, plans } from './plan.ts';

test('the plans have the numbers of the specification', () => {
  expect(plans).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
    enterprise: undefined,
  });
});

test('the names of the plans are complete and in order', () => {
  expect(planNames).toEqual(['free', 'pro', 'business', 'enterprise']);
  expect([...planNames].sort()).toEqual(Object.keys(plans).sort());
});
