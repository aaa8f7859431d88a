import { expect, test } from 'vitest';
import { planNames, plans } from './plan.ts';

test('the plans have the quotas that the specification defines', () => {
  expect(planNames.map((name) => [name, plans[name]])).toEqual([
    ['free', { perMinute: 60, perDay: 1_000 }],
    ['pro', { perMinute: 300, perDay: 10_000 }],
    ['business', { perMinute: 1_000, perDay: 100_000 }],
    ['enterprise', undefined],
  ]);
});
