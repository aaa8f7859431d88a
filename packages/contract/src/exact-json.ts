import { normalizeInt64 } from './int64.ts';

// JSON with 64-bit integers, in one way for all runtimes. `JSON.parse` with source text and
// `JSON.rawJSON` would do it too, but Node 20 and many browsers lack them.

// A string, or a run that begins as a number does. Strings are matched so that digits in them are
// left alone. A string without an end is matched too: searching for its end repeatedly would take
// quadratic time. What a colon follows would be a name, which must not become a string.
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*(?!\s*:)/g;

/** An integer that `JSON.parse` may round. */
const longInteger = /^-?[1-9]\d{15,}$/;

/** More digits than any integer has that somebody means: to read a megabyte of them takes too long. */
const maxDigits = 1_000;

/**
 * Parses JSON; an integer that a `number` cannot hold exactly becomes a `bigint`, also beyond 64 bits.
 *
 * @throws {SyntaxError} if the text is not JSON, or has an integer of more than 1,000 digits.
 */
export function parseJson(text: string): unknown {
  // Nearly every text has none, and is read ten times as fast.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return parseNumbers(text, longInteger, (source) => {
    if (source.length > maxDigits) throw new SyntaxError(`integer with ${source.length} digits`);
    return normalizeInt64(BigInt(source));
  });
}

/**
 * Parses JSON, and gives some of its numbers another meaning than `JSON.parse`.
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
 * Writes JSON with each `bigint` as a plain integer, to the last digit. It reads the value before
 * `toJSON` converts it: many programs define `BigInt.prototype.toJSON`, which makes strings or rounds.
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

/** Random, so that no string in the value can be mistaken for a marked integer. */
function createMark(): string {
  return `int64-${Math.random()}-`;
}
