import { expect, test } from 'vitest';
import { formatDistance, formatMs, formatSpan } from './format.ts';

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [61, '1 min 1 s'],
  [7_200, '2 h'],
  [90_061, '1 d 1 h'],
])('a span of %i s is %s', (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text);
});

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
