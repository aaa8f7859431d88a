import { type Int64, normalizeInt64 } from '@animal-store/contract';
import { parseNumbers } from '@animal-store/contract/exact-json';

/**
 * Matches texts with numbers that `JSON.parse` may read differently: many digits, a fraction, an
 * exponent, or -0.
 */
const inexact = /\d{16}|\d[.eE]|-0/;

/**
 * The longest text that `JSON.parse` reads directly. A longer text may nest so deeply that
 * `JSON.parse` would overflow the stack.
 */
const maxQuickLength = 500;

/** Matches a JSON number in four parts: sign, whole part, fraction and exponent (RFC 8259, §6). */
const anyNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON that a caller has sent. The function reads `1.0` and `1e2` as integers and never
 * rounds a fraction to an integer. `parseJson` of the contract does not do this, because it reads
 * only JSON that the service has written.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if the text nests deeper than the stack allows.
 */
export function parseExactJson(text: string): unknown {
  if (text.length <= maxQuickLength && !inexact.test(text)) return JSON.parse(text);
  return parseNumbers(text, anyNumber, exactNumber);
}

/** A JSON number as the caller has written it. */
export class NumberSource {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON for an error message that shows what the caller sent. Numbers stay as they were
 * written, so `1e400` is not shown as `Infinity` or `NaN`.
 */
export function parseNumberSources(text: string): unknown {
  return parseNumbers(text, anyNumber, (source) => new NumberSource(source));
}

/**
 * Returns the value of a JSON number.
 *
 * `1.0` and `1e2` are integers, as in the data model of JSON Schema 2020-12 (§4.2.3).
 * `4503599627370496.4` is not an integer, but `Number` would round it to one. The function returns
 * `NaN` for such a number, because no schema for integers accepts `NaN`.
 */
function exactNumber(source: string): Int64 {
  const rounded = Number(source);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = anyNumber.exec(source) ?? [];
  const digits = whole + fraction;
  /** The number of digits before the decimal point, after the exponent has been applied. */
  const place = whole.length + Number(exponent);
  const isInteger = /^0*$/.test(digits.slice(Math.max(0, place)));
  if (!isInteger) return Number.isInteger(rounded) ? Number.NaN : rounded;
  // Adding 0 turns -0 into 0. Numbers of 1e19 and more do not fit into 64 bits and are refused
  // later, so the result may be inexact.
  if (rounded === 0 || Math.abs(rounded) >= 1e19) return rounded + 0;
  return normalizeInt64(BigInt(sign + digits.slice(0, place).padEnd(place, '0')));
}
