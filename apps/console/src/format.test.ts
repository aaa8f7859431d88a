import { expect, test } from 'vitest';
import { formatDistance, formatMs } from './format.ts';

test.each([
  [-90_000, '1 minute ago'],
  [7_200_000, 'in 2 hours'],
  [500, 'now'],
])('a time %i ms from now is %s', (ms, text) => {
  expect(formatDistance(new Date(1_000_000 + ms), 1_000_000)).toBe(text);
});

test.each([
  [3.21, '3.21 ms'],
  [1_234, '1.23 s'],
])('%d ms is %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
