import { expect, test } from 'vitest';
import { compareCost } from './compare-cost.ts';

test.each([
  [1.16, 1, 'worse'],
  [1.14, 1, 'as recorded'],
  [0.9, 1, 'as recorded'],
  [0.8, 1, 'better'],
  [Number.NaN, 1, 'worse'],
] as const)('a cost of %d floors after %d is %s', (measured, recorded, verdict) => {
  expect(compareCost(measured, recorded).verdict).toBe(verdict);
});
