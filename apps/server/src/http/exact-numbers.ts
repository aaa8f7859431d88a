import { type Int64, normalizeInt64 } from '@animal-store/contract';
import { parseNumbers } from '@animal-store/contract/exact-json';

/**
 * A number that `JSON.parse` may read differently: one with many digits, a fraction, an exponent,
 * or -0.
 */
const inexact = /\d{16}|\d[.eE]|-0/;

/** Longer texts may nest deeper than the stack allows, whatever numbers they contain. */
const maxQuickLength = 500;

/** A JSON number: its sign, whole part, fraction and exponent (RFC 8259, §6). */
const anyNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON from a caller. Unlike `parseJson` of the contract, which reads JSON of the service,
 * it reads `1.0` and `1e2` as integers and never rounds a fraction to an integer.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if it nests deeper than the stack allows.
 */
export function parseExactJson(text: string): unknown {
  if (text.length <= maxQuickLength && !inexact.test(text)) return JSON.parse(text);
  return parseNumbers(text, anyNumber, exactNumber);
}

/** A number as it is written in a JSON text. */
export class NumberSource {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON for a message that shows what was sent, so that `1e400` is not shown as `Infinity` or
 * `NaN`.
 */
export function parseNumberSources(text: string): unknown {
  return parseNumbers(text, anyNumber, (source) => new NumberSource(source));
}

/**
 * Returns the value of a JSON number.
 *
 * `1.0` and `1e2` are integers (JSON Schema 2020-12, §4.2.3 data model). `4503599627370496.4` is
 * not an integer, although rounding makes it one. It becomes `NaN`, which no integer schema
 * accepts.
 */
function exactNumber(source: string): Int64 {
  const rounded = Number(source);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = anyNumber.exec(source) ?? [];
  const digits = whole + fraction;
  /** The number of digits before the decimal point after the exponent is applied. */
  const place = whole.length + Number(exponent);
  const isInteger = /^0*$/.test(digits.slice(Math.max(0, place)));
  if (!isInteger) return Number.isInteger(rounded) ? Number.NaN : rounded;
  // The sum turns -0 into 0. Numbers from 1e19 on exceed 64 bits, so they need not be exact.
  if (rounded === 0 || Math.abs(rounded) >= 1e19) return rounded + 0;
  return normalizeInt64(BigInt(sign + digits.slice(0, place).padEnd(place, '0')));
}
