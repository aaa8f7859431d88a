import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from './exact-json.ts';
import { int64Max, int64Min, normalizeInt64 } from './int64.ts';

const int64 = fc.bigInt({ min: int64Min, max: int64Max }).map(normalizeInt64);

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-1000000000000000', -1000000000000000],
  ['-0', -0],
  ['1.1234567890123456789', 1.1234567890123457],
  ['1e400', Number.POSITIVE_INFINITY],
  ['12345678901234567e3', 12345678901234567000],
  // An integer that does not fit in 64 bits also becomes a bigint, because a rounded number would
  // be a different value.
  ['12345678901234567890', 12345678901234567890n],
  ['-9223372036854775809', -9223372036854775809n],
])('parseJson reads %s as %s', (text, expected) => {
  expect(parseJson(text)).toBe(expected);
  expect(parseJson(`{"a":[ ${text} ]}`)).toEqual({ a: [expected] });
});

test('parseJson reads everything except large integers like JSON.parse', () => {
  const property = fc.property(fc.json(), (text) => {
    fc.pre(!/\d{16}/.test(text));
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
  fc.assert(property, { seed: 1 });
  const digits =
    '{"1234567890123456789":"\\"1234567890123456789\\\\","b":["\\\\",1,"1234567890123456789"]}';
  expect(parseJson(digits)).toEqual(JSON.parse(digits));
});

test('parseJson throws a SyntaxError for an integer with more than 1,000 digits, without converting it', () => {
  expect(parseJson('9'.repeat(1_000))).toBe(10n ** 1_000n - 1n);
  expect(() => parseJson('9'.repeat(1_000_000))).toThrow(SyntaxError);
});

test.each([
  '',
  '01234567890123456789',
  '1234567890123456789n',
  '1234567890123456789.',
  '.1234567890123456789',
  '+1234567890123456789',
  '"a"1234567890123456789',
  '1234567890123456789 1',
  '"1234567890123456789',
  '{1234567890123456789:1}',
  '{1234567890123456789 :1}',
])('parseJson throws a SyntaxError for the invalid JSON text %j', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('parseJson returns the same value that stringifyJson wrote, at any depth', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      int64,
      fc.string(),
      fc.boolean(),
      fc.array(tie('tree')),
      fc.dictionary(fc.string(), tie('tree'), { noNullPrototype: true }),
    ),
  }));
  const property = fc.property(tree, (value) => {
    const text = stringifyJson(value);
    expect(parseJson(text)).toEqual(value);
    expect(stringifyJson(parseJson(text))).toBe(text);
  });
  fc.assert(property, { seed: 1 });
});

// Many programs define `BigInt.prototype.toJSON`, so that `JSON.stringify` writes a string or a
// rounded number.
test('stringifyJson writes a bigint with all its digits when a program has defined BigInt.prototype.toJSON', () => {
  const prototype = BigInt.prototype as { toJSON?: (this: bigint) => unknown };
  prototype.toJSON = function toJson() {
    return Number(this);
  };
  try {
    expect(stringifyJson({ a: 9007199254740993n })).toBe('{"a":9007199254740993}');
  } finally {
    delete prototype.toJSON;
  }
});

// Regression: the bigint caused a TypeError.
test('stringifyJson writes a bigint that `toJSON` of an object returns', () => {
  const money = { toJSON: () => 9007199254740993n };
  expect(stringifyJson({ money, list: [money] })).toBe(
    '{"money":9007199254740993,"list":[9007199254740993]}',
  );
});

test('stringifyJson does not change strings that look like its internal mark for integers', () => {
  const value = { text: '"int64-0.5-7"', 'int64-0.5-8': 'int64-0.5-9' };
  expect(stringifyJson({ ...value, n: 7n })).toBe(`${JSON.stringify(value).slice(0, -1)},"n":7}`);
});

test('stringifyJson throws a TypeError for an object that contains itself', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  expect(() => stringifyJson(cycle)).toThrow(TypeError);
});
