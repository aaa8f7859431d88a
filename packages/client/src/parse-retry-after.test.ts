import { expect, onTestFinished, test, vi } from 'vitest';
import { parseRetryAfter } from './parse-retry-after.ts';

test.each([
  ['0', 0],
  ['17', 17_000],
  ['86400', 86_400_000],
  // Nobody means it, but it is no leave to come back at once.
  ['1795219200', 1e12],
  ['12345678901234567890', 1e12],
  // Two fields, one of a proxy's: never shorter than either asks.
  ['5, 17', 17_000],
  ['17,5', 17_000],
  ['Sat, 21 Nov 2026 00:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 00:00:30 GMT', 30_000],
  ['Sat Nov 21 00:00:30 2026 GMT', 30_000],
  ['Fri, 20 Nov 2026 00:00:00 GMT', 0],
])('%s is %i ms', (field, expected) => {
  const headers = new Headers({ 'Retry-After': field, Date: 'Sat, 21 Nov 2026 00:00:00 GMT' });
  expect(parseRetryAfter(headers)).toBe(expected);
});

test.each([
  '',
  '-1',
  '1.5',
  '1e3',
  'soon',
  'Tomorrow, perhaps',
  'Sat Nov 21 00:00:30 2026',
  'someday GMT',
  '5, soon',
  '5,',
])('%j says nothing', (field) => {
  expect(parseRetryAfter(new Headers({ 'Retry-After': field }))).toBeUndefined();
});

test('a date without the sender’s clock is told by our own', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const headers = new Headers({ 'Retry-After': 'Sat, 21 Nov 2026 01:00:00 GMT' });
  expect(parseRetryAfter(headers)).toBe(3_600_000);
});

test('nothing said is undefined', () => {
  expect(parseRetryAfter(new Headers())).toBeUndefined();
});
