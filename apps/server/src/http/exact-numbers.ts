import { type Int64, normalizeInt64 } from '@animal-store/contract';
import { parseNumbers } from '@animal-store/contract/exact-json';

/** A number that `JSON.parse` may read otherwise: one with many digits, a fraction, an exponent, or -0. */
const inexact = /\d{16}|\d[.eE]|-0/;

/** Longer texts may nest deeper than the stack allows, whatever numbers they hold. */
const maxQuickLength = 500;

/** A number of JSON: its sign, whole part, fraction and exponent (RFC 8259, §6). */
const anyNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON of a caller. Stricter than `parseJson` of the contract, which reads what the service wrote:
 * `1.0` and `1e2` are integers, and a fraction is never rounded to one.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if it nests deeper than the stack allows.
 */
export function parseExactJson(text: string): unknown {
  if (text.length <= maxQuickLength && !inexact.test(text)) return JSON.parse(text);
  return parseNumbers(text, anyNumber, exactNumber);
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
  return parseNumbers(text, anyNumber, (source) => new NumberSource(source));
}

/**
 * The number that a JSON literal means.
 *
 * `1.0` and `1e2` are integers (JSON Schema 2020-12, §4.2.3 data model); `4503599627370496.4` is
 * not, although rounding makes it one: it becomes `NaN`, which no integer schema accepts.
 */
function exactNumber(source: string): Int64 {
  const rounded = Number(source);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = anyNumber.exec(source) ?? [];
  const digits = whole + fraction;
  /** How many digits stand before the point, once the exponent has moved it. */
  const place = whole.length + Number(exponent);
  const isInteger = /^0*$/.test(digits.slice(Math.max(0, place)));
  if (!isInteger) return Number.isInteger(rounded) ? Number.NaN : rounded;
  // The sum makes 0 of -0. No 64-bit integer is as great as 1e19.
  if (rounded === 0 || Math.abs(rounded) >= 1e19) return rounded + 0;
  return normalizeInt64(BigInt(sign + digits.slice(0, place).padEnd(place, '0')));
}
