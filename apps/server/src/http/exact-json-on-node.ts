import { type Int64, normalizeInt64 } from '@animal-store/contract';

/** No 64-bit integer has more digits. */
const maxDigits = 19;

/** A number that `JSON.parse` may read otherwise: one with many digits, a fraction, an exponent, or -0. */
const inexact = /\d{16}|\d[.eE]|-0/;

/** Longer texts may nest deeper than the stack allows, whatever numbers they hold. */
const maxQuickLength = 500;

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

// TypeScript's library does not know the third parameter yet.
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Parses JSON without losing integers: one that a `number` cannot hold exactly becomes a `bigint`.
 *
 * Unlike the portable `parseJson` of the contract, it reads the source text of each number, which Node
 * hands out: `1.0` and `1e2` are integers, and a fraction is never rounded to one.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if it nests deeper than the stack allows.
 * @see https://tc39.es/proposal-json-parse-with-source/
 */
export function parseExactJson(text: string): unknown {
  if (text.length <= maxQuickLength && !inexact.test(text)) return JSON.parse(text);
  return parseWithSource(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined
      ? exactNumber(value, context.source)
      : value,
  );
}

/** A number of a JSON text, as it is written there. */
export class NumberSource {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Parses JSON for a message that shows what was sent: `1e400` is neither `Infinity` nor `NaN`. */
export function parseNumberSources(text: string): unknown {
  return parseWithSource(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined
      ? new NumberSource(context.source)
      : value,
  );
}

/**
 * The number that a JSON literal means, where `JSON.parse` may have rounded it to `rounded`.
 *
 * `1.0` and `1e2` are integers (JSON Schema 2020-12, §4.2.3 data model); `4503599627370496.4` is
 * not, although rounding makes it one: it becomes `NaN`, which no integer schema accepts.
 */
function exactNumber(rounded: number, source: string): Int64 {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0;
  // Counted by hand: on a hostile run of zeros inside the number, /0+$/ takes quadratic time.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  if (scale < 0) return Number.isInteger(rounded) ? Number.NaN : rounded;
  if (significant.length + scale > maxDigits) return rounded;
  return normalizeInt64(BigInt(sign + significant + '0'.repeat(scale)));
}
