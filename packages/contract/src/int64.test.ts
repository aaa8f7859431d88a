import fc from 'fast-check';
import { expect, test } from 'vitest';
import { int64Max, int64Min, normalizeInt64, parseInt64 } from './int64.ts';

test.each([
  ['0', 0],
  ['-7', -7],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740992n],
  ['-9007199254740992', -9007199254740992n],
  ['9223372036854775807', int64Max],
  ['-9223372036854775808', int64Min],
])(
  'parseInt64 reads the text %s as a number if a number can represent it exactly, and otherwise as a bigint',
  (text, expected) => {
    expect(normalizeInt64(BigInt(text))).toBe(expected);
    expect(parseInt64(text)).toBe(expected);
  },
);

test.each([
  ['', ' ', '-', '-0', '+5', '007', '5\n', ' 5 ', '0x10', '1e1', '1.0', '1_000', '5n', '٥', 'NaN'],
  ['9223372036854775808', '-9223372036854775809', '9'.repeat(100_000)],
])(
  'parseInt64 returns undefined for %j and other texts that are not a 64-bit integer',
  (...texts) => {
    for (const text of texts) expect(parseInt64(text), text.slice(0, 30)).toBeUndefined();
  },
);

test('parseInt64 reads every 64-bit integer without changing its value', () => {
  const int64s = fc.bigInt({ min: int64Min, max: int64Max }).map(String);
  const texts = fc.oneof(int64s, fc.string(), fc.stringMatching(/^-?\d{1,20}$/));
  const property = fc.property(texts, int64s, (text, integer) => {
    expect(parseInt64(integer)).toBe(normalizeInt64(BigInt(integer)));
    const value = parseInt64(text);
    if (value !== undefined) expect(String(value)).toBe(text);
  });
  fc.assert(property, { seed: 1, numRuns: 200 });
});
