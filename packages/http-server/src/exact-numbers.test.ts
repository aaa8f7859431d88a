import { int64Min } from '@animal-store/contract';
import { expect, test } from 'vitest';
import { parseExactJson } from './exact-numbers.ts';

test.each([
  ['-0', 0],
  ['1.0', 1],
  ['1e2', 100],
  ['1.5', 1.5],
  ['12E-1', 1.2],
  ['120e-1', 12],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['9007199254740993.0', 9007199254740993n],
  ['9.007199254740993e15', 9007199254740993n],
  ['-9223372036854775808', int64Min],
  ['9223372036854775808', 2n ** 63n],
  ['1e400', Number.POSITIVE_INFINITY],
  ['-1e400', Number.NEGATIVE_INFINITY],
  ['10000000000000000000', 1e19],
  // The numbers in this list are fractions that rounding would turn into integers. They must not be
  // accepted as integers.
  ['4503599627370496.4', Number.NaN],
  ['9007199254740993.5', Number.NaN],
  ['1e-400', Number.NaN],
])('parseExactJson reads the JSON number %s as the JavaScript value %s', (text, expected) => {
  expect(parseExactJson(text)).toBe(expected);
  expect(parseExactJson(`[{"a":${text}},"${text}"]`)).toEqual([{ a: expected }, text]);
});

test.each(['', '01', '1.', '.5', '+1', '0x10', '1n', 'NaN', '{"a":1.0,}'])(
  'parseExactJson throws a SyntaxError for the invalid JSON %j',
  (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  },
);

test.each(['1', '1.1'])(
  'parseExactJson reads the number %s followed by a million zeros in linear time',
  (start) => {
    parseExactJson(`${start}${'0'.repeat(1_000_000)}1`);
  },
);
