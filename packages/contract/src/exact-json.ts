import { normalizeInt64 } from './int64.ts';

// This file reads and writes 64-bit integers in JSON exactly, in the same way in all runtimes.
// Newer runtimes offer `JSON.rawJSON` and the source text in `JSON.parse`, but Node 20 and many
// browsers do not.

// Matches a string, or characters that begin like a number.
//
// Strings are matched as a whole, so that digits inside a string stay unchanged. A string without
// an end is matched too, because repeated searches for its end would take quadratic time. A number
// before a colon is not matched. A number in that place is invalid JSON. Its replacement would be a
// valid property name, so the error would stay unnoticed.
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*(?!\s*:)/g;

/** Matches an integer with so many digits that `JSON.parse` may round it. */
const longInteger = /^-?[1-9]\d{15,}$/;

/**
 * The maximum number of digits of an integer. No useful integer has more digits, and a conversion
 * of a million digits would block the process.
 */
const maxDigits = 1_000;

/**
 * Parses JSON like `JSON.parse`, but keeps large integers exact. An integer that a `number` cannot
 * represent exactly becomes a `bigint`, even if it has more than 64 bits.
 *
 * @throws {SyntaxError} if the text is not JSON, or contains an integer of more than 1,000 digits.
 */
export function parseJson(text: string): unknown {
  // Most texts contain no large integer. For them, the function uses `JSON.parse` alone, which is
  // ten times as fast.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return parseNumbers(text, longInteger, (source) => {
    if (source.length > maxDigits)
      throw new SyntaxError(`expected integers of at most ${maxDigits} digits`);
    return normalizeInt64(BigInt(source));
  });
}

/**
 * Parses JSON like `JSON.parse`, but lets the caller convert some of the numbers.
 *
 * @param which matches the numbers to convert, as they are written in the text.
 * @param read converts such a number.
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if the nesting is deeper than the stack allows.
 */
export function parseNumbers(
  text: string,
  which: RegExp,
  read: (source: string) => unknown,
): unknown {
  const mark = createMark();
  const marked = text.replace(stringOrNumber, (token) =>
    which.test(token) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? read(value.slice(mark.length)) : value,
  );
}

/**
 * Writes JSON like `JSON.stringify`, but writes each `bigint` as an integer with all its digits.
 * The function reads the value before `toJSON` converts it. Many programs define a
 * `BigInt.prototype.toJSON` that returns a string or a rounded number.
 *
 * @throws {TypeError} for an object that contains itself.
 */
export function stringifyJson(value: unknown): string {
  const mark = createMark();
  const marked = JSON.stringify(
    value,
    function (this: Record<string, unknown>, key, json: unknown) {
      const member = this[key];
      // `toJSON` of another object may return a `bigint` as well.
      const int = typeof member === 'bigint' ? member : json;
      return typeof int === 'bigint' ? mark + int : json;
    },
  );
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/**
 * Creates the prefix that marks an integer inside a string. The prefix is random, so that no string
 * in the value can contain it.
 */
function createMark(): string {
  return `int64-${Math.random()}-`;
}
