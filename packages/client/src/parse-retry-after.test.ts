import { expect, test, vi } from 'vitest';
import { parseRetryAfter } from './parse-retry-after.ts';

test.each([
  ['0', 0],
  ['17', 17_000],
  // The number has so many digits that it must be a mistake of the server. The client waits for the
  // longest possible time, and does not retry immediately.
  ['12345678901234567890', 1e12],
  // A proxy may add a second `Retry-After` field. The client uses the longer wait.
  ['5, 17', 17_000],
  ['17,5', 17_000],
  ['Sat, 21 Nov 2026 00:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 00:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 00:00:00 GMT', 0],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['Sat Nov 21 00:00:30 2026', undefined],
  ['someday GMT', undefined],
  ['5, soon', undefined],
])('parseRetryAfter reads the field %j as %j ms', (field, expected) => {
  const headers = new Headers({ 'Retry-After': field, Date: 'Sat, 21 Nov 2026 00:00:00 GMT' });
  expect(parseRetryAfter(headers)).toBe(expected);
});

test('parseRetryAfter compares a date with the local clock when the response has no Date field', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21), toFake: ['Date'] });
  const headers = new Headers({ 'Retry-After': 'Sat, 21 Nov 2026 01:00:00 GMT' });
  expect(parseRetryAfter(headers)).toBe(3_600_000);
});

// Regression: the time for a long field grew with the square of its length.
test('parseRetryAfter returns undefined for a field that is longer than an HTTP date', () => {
  const padding = ' '.repeat(100);
  const date = 'Sat, 21 Nov 2026 00:00:30 GMT';
  // The class `Headers` would remove spaces at both ends of the field, so the test passes an object
  // with a `get` method.
  expect(parseRetryAfter({ get: () => padding + date })).toBeUndefined();
  expect(parseRetryAfter({ get: () => date })).toBe(0);
});
