import { normalizeInt64 } from '@animal-store/contract';

// JSON with 64-bit integers, in one way for all runtimes. `JSON.parse` with source text and
// `JSON.rawJSON` would do as well, but Node 20 and many a browser lack them, and two ways are more
// code than this one.

// A string, or a run that begins as a number does. Strings are matched so that digits in them are not;
// one without an end is matched too, for to look for its end again and again takes quadratic time.
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g;

/** An integer that `JSON.parse` may round. With more digits it is none of 64 bits. */
const longInteger = /^-?[1-9]\d{15,18}$/;

/**
 * Parses JSON; an integer that a `number` cannot hold exactly becomes a `bigint`.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const mark = createMark();
  const marked = text.replace(stringOrNumber, (token) =>
    longInteger.test(token) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark)
      ? normalizeInt64(BigInt(value.slice(mark.length)))
      : value,
  );
}

/**
 * Writes JSON with each `bigint` as a plain integer, to the last digit. Looked at before `toJSON` has
 * its turn: many a program gives `BigInt.prototype` one, which makes strings or rounds.
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

/** Random, so that no string of anybody's can be taken for a marked integer. */
function createMark(): string {
  return `int64-${Math.random()}-`;
}
