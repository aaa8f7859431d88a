import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseJson } from './int64.ts';

// A runtime without source text, as far as a fresh copy of the module can see.

const { parse, stringify } = JSON;
let parseElsewhere: typeof parseJson;

beforeEach(async () => {
  vi.stubGlobal('JSON', {
    stringify,
    parse: (text: string, reviver?: (key: string, value: unknown) => unknown) =>
      parse(text, reviver && ((key, value) => reviver(key, value))),
  });
  vi.resetModules();
  ({ parseJson: parseElsewhere } = await import('./int64.ts'));
});

afterEach(() => vi.unstubAllGlobals());

describe('parseJson where JSON.parse does not hand out source text', () => {
  test.each([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775807', 9223372036854775807n],
    ['999999999999999', 999999999999999],
    ['1000000000000000', 1000000000000000],
    ['1.5', 1.5],
    ['1e2', 100],
    ['9.007199254740993e15', 9007199254740993n],
    ['4503599627370496.4', Number.NaN],
    ['1E400', Number.POSITIVE_INFINITY],
    ['-0', 0],
  ])('%s means %s', (text, expected) => {
    expect(parseElsewhere(text)).toEqual(expected);
    expect(parseElsewhere(` [ ${text} , {"a":${text}}]`)).toEqual([expected, { a: expected }]);
  });

  const number = fc.oneof(
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    fc.stringMatching(/^-?(?:0|[1-9]\d{0,18})(?:\.\d{1,18})?(?:[eE][+-]?\d{1,2})?$/),
  );
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      number,
      fc.oneof(fc.string(), number).map((text) => JSON.stringify(text)),
      fc.array(tie('value')).map((items) => `[${items.join(' , ')}]`),
      fc
        .array(fc.tuple(fc.oneof(fc.string(), number), tie('value')))
        .map((members) =>
          [`{`, members.map(([key, item]) => `${JSON.stringify(key)}: ${item}`).join(), `}`].join(
            '',
          ),
        ),
    ),
  }));

  test('reads every text as it is read elsewhere', () => {
    fc.assert(
      fc.property(value, (text) => {
        expect(parseElsewhere(text)).toEqual(parseJson(text));
      }),
    );
  });

  test.each([
    '{12345678901234567890:1}',
    '{"a":1,12345678901234567890 : 1}',
    '01234567890123456789',
    '-01234567890123456789',
    '--1234567890123456789',
    '1234567890123456789n',
    '1234567890123456789.',
    '.1234567890123456789',
    '1234567890123456789e',
    '+1234567890123456789',
    '"a"1234567890123456789',
    '1234567890123456789"a"',
    '1234567890123456789 1',
    '"1234567890123456789',
    '"\\',
    '',
  ])('%j is a SyntaxError', (text) => {
    expect(() => parseElsewhere(text)).toThrow(SyntaxError);
  });

  test('digits within strings stay strings', () => {
    const text = '{"12345678901234567890":"\\"12345678901234567890\\\\","b":["1e400\\\\\\""]}';
    expect(parseElsewhere(text)).toEqual(parse(text));
  });
});
