import { int64Max, int64Min, normalizeInt64, stringifyJson } from '@animal-store/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from './exact-numbers.ts';

const int64s = fc.bigInt({ min: int64Min, max: int64Max });

describe('parseExactJson', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['1.5', 1.5],
    ['12E-1', 1.2],
    ['120e-1', 12],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['-9223372036854775808', int64Min],
    ['9223372036854775808', 2n ** 63n],
    ['1e400', Number.POSITIVE_INFINITY],
    ['-1e400', Number.NEGATIVE_INFINITY],
    ['10000000000000000000', 1e19],
  ])('%s means %s', (text, expected) => {
    expect(parseExactJson(text)).toBe(expected);
    expect(parseExactJson(`{"a":[${text}]}`)).toEqual({ a: [expected] });
  });

  test.each(['4503599627370496.4', '9007199254740993.5', '1e-400'])(
    'the fraction %s is not rounded to an integer',
    (text) => {
      expect(parseExactJson(text)).toBeNaN();
    },
  );

  test.each(['', '{', '01', '1.', '.5', '+1', '0x10', '1n', 'NaN', '{"a":1,}', "{'a':1}"])(
    '%j is a SyntaxError',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );

  test('a member named __proto__ is a member', () => {
    const parsed = parseExactJson('{"__proto__":{"polluted":1}}') as object;
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([
    ['zeros within an integer', `1${'0'.repeat(1_000_000)}1`],
    ['zeros within a fraction', `1.1${'0'.repeat(1_000_000)}1`],
  ])(
    'a hostile run of %s does not take quadratic time, which would exceed the time limit',
    (_what, text) => {
      parseExactJson(text);
    },
  );
});

test('reads what stringifyJson of the contract writes, for every 64-bit integer at any depth', () => {
  fc.assert(
    fc.property(int64s, fc.string(), (value, key) => {
      const tree = { [`k${key}`]: [{ value: normalizeInt64(value) }, key] };
      expect(parseExactJson(stringifyJson(tree))).toEqual(tree);
    }),
    { seed: 1 },
  );
});
