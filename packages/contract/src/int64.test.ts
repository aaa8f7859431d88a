import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { int64Max, int64Min, normalizeInt64, parseInt64 } from './int64.ts';

// The same cases in every run.
fc.configureGlobal({ seed: 1 });

const int64s = fc.bigInt({ min: int64Min, max: int64Max });

test('the bounds are those of a signed 64-bit integer', () => {
  expect(int64Min).toBe(-9223372036854775808n);
  expect(int64Max).toBe(9223372036854775807n);
});

describe('normalizeInt64', () => {
  test.each([
    [0n, 0],
    [9007199254740991n, 9007199254740991],
    [-9007199254740991n, -9007199254740991],
    [9007199254740992n, 9007199254740992n],
    [-9007199254740992n, -9007199254740992n],
    [int64Max, int64Max],
  ])('%s has one representation', (value, expected) => {
    expect(normalizeInt64(value)).toBe(expected);
  });
});

describe('parseInt64', () => {
  test.each([
    ['0', 0],
    ['7', 7],
    ['-7', -7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', int64Max],
    ['-9223372036854775808', int64Min],
  ])('%s is read', (text, expected) => {
    expect(parseInt64(text)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    ' 5 ',
    '5\n',
    '-',
    '-0',
    '+5',
    '007',
    '0x10',
    '1e1',
    '1.0',
    '1_000',
    '5n',
    '٥',
    'NaN',
    'Infinity',
    '9223372036854775808',
    '-9223372036854775809',
    '9999999999999999999',
    '10000000000000000000',
    '9'.repeat(100_000),
  ])('%j is refused', (text) => {
    expect(parseInt64(text)).toBeUndefined();
  });

  test('reads back whatever a 64-bit integer prints', () => {
    fc.assert(
      fc.property(int64s, (value) => {
        expect(parseInt64(String(value))).toBe(normalizeInt64(value));
      }),
    );
  });

  test('gives an integer that prints as the text, or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?\d{1,20}$/)), (text) => {
        const value = parseInt64(text);
        if (value !== undefined) expect(String(value)).toBe(text);
      }),
    );
  });
});
