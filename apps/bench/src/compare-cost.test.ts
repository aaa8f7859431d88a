import { expect, test } from 'vitest';
import { compareCost, noiseOf } from './compare-cost.ts';

test.each([
  [1.16, 1, 1, 'worse'],
  [1.14, 1, 1, 'as recorded'],
  [0.9, 1, 1, 'as recorded'],
  [0.8, 1, 1, 'better'],
  [1.25, 1, 1.1, 'as recorded'],
  [1.27, 1, 1.1, 'worse'],
  [Number.NaN, 1, 1, 'worse'],
  [1, 1, Number.NaN, 'worse'],
] as const)(
  'for the measured cost %d, the recorded cost %d and the noise %d, compareCost returns the verdict "%s"',
  (measured, recorded, noise, verdict) => {
    expect(compareCost(measured, recorded, noise).verdict).toBe(verdict);
  },
);

test('noiseOf returns the noise of measured costs: their upper quartile divided by their lower quartile', () => {
  expect(noiseOf([10, 10, 10, 10, 10])).toBe(1);
  expect(noiseOf([50, 10, 11, 12, 1])).toBe(1.2);
  expect(noiseOf([])).toBeNaN();
});
