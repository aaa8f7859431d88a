import { normalizeInt64 } from './int64.ts';

// This file reads and writes JSON with 64-bit integers in the same way in all runtimes.
// `JSON.parse` with source text and `JSON.rawJSON` could do it, but Node 20 and many browsers lack
// them.

// Matches a string, or a run that begins like a number. Strings are matched so that digits in them
// stay unchanged. A string without an end is matched, too: searching for its end repeatedly would
// take quadratic time. A number before a colon would be a name, which must not become a string.
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*(?!\s*:)/g;

/** Matches an integer that `JSON.parse` may round. */
const longInteger = /^-?[1-9]\d{15,}$/;

/**
 * The largest number of digits of an integer. No useful integer has more, and a megabyte of digits
 * takes too long to read.
 */
const maxDigits = 1_000;

/**
 * Parses JSON. An integer that a `number` cannot represent exactly becomes a `bigint`, also beyond
 * 64 bits.
 *
 * @throws {SyntaxError} if the text is not JSON, or has an integer of more than 1,000 digits.
 */
export function parseJson(text: string): unknown {
  // Nearly every text has no such integer, and `JSON.parse` reads it ten times as fast.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return parseNumbers(text, longInteger, (source) => {
    if (source.length > maxDigits) throw new SyntaxError(`integer with ${source.length} digits`);
    return normalizeInt64(BigInt(source));
  });
}

/**
 * Parses JSON, and converts some of its numbers in another way than `JSON.parse`.
 *
 * @param which the numbers, as they are written.
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if it nests deeper than the stack allows.
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
 * Writes JSON with each `bigint` as a plain integer with all digits. It reads the value before
 * `toJSON` converts it, because many programs define a `BigInt.prototype.toJSON` that returns
 * strings or rounds.
 *
 * @throws {TypeError} for a cycle.
 */
export function stringifyJson(value: unknown): string {
  const mark = createMark();
  const marked = JSON.stringify(
    value,
    function (this: Record<string, unknown>, key, json: unknown) {
      const member = this[key];
      return typeof member === 'bigint' ? mark + member : json;
    },
  );
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** The mark is random, so that no string in the value looks like a marked integer. */
function createMark(): string {
  return `int64-${Math.random()}-`;
}
