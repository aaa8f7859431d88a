import { expect, test } from 'vitest';
import { readFaults } from './form-faults.ts';

test('each fault is told at its field, in the words of the form', () => {
  const message =
    'expiresAt: expected a time to come, got "2020-01-01T00:00:00Z"; quota.perDay: expected an integer from 1 to 2147483647, got 0';
  const faults = readFaults(message);
  expect(Object.keys(faults ?? {})).toEqual(['expires', 'perDay']);
  expect(faults?.['expires']).toBe('Choose a time that is still to come.');
});

test('a value that looks like a fault is none', () => {
  const message =
    'name: expected no token: everybody could use it, got "a; account: expected \\"b"';
  expect(Object.keys(readFaults(message) ?? {})).toEqual(['name']);
});

test('a fault after a value that was cut is read', () => {
  const message =
    'account: expected 1 to 255 characters, got "xxxx…; expiresAt: expected a time to come, got "2020"';
  expect(Object.keys(readFaults(message) ?? {})).toEqual(['account', 'expires']);
});

test('a fault of no field is not read', () => {
  expect(readFaults('quota: expected none, got an object')).toBeUndefined();
});
