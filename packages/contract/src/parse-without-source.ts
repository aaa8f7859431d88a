/** What a number's literal means, given what `JSON.parse` would make of it. */
export type ReadNumber = (rounded: number, source: string) => unknown;

// A string, or a run that begins as a number does. Strings are matched so that digits in them are not;
// one without an end is matched too, for to look for its end again and again takes quadratic time.
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g;

/** Read by `JSON.parse` exactly: no integer of so few digits is rounded. */
const exact = /^(?:0|-?[1-9]\d{0,14})$/;

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON as `JSON.parse` does, but gives the literals of numbers that it may round to `read`.
 * For runtimes that do not hand out the source text of numbers, such as Node 20.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parseWithoutSource(text: string, read: ReadNumber): unknown {
  // Random, so that no string of the sender's can be taken for a marked number.
  const mark = `number-${Math.random()}-`;
  const marked = text.replace(stringOrNumber, (token) =>
    // What is no number of JSON's stays as it is, for `JSON.parse` to refuse.
    exact.test(token) || !jsonNumber.test(token) ? token : `"${mark}${token}"`,
  );
  return JSON.parse(marked, (key, value: unknown) => {
    // A number cannot be a member's name, but a marked one could.
    if (key.startsWith(mark)) throw new SyntaxError('expected a string as the name of a member');
    if (typeof value !== 'string' || !value.startsWith(mark)) return value;
    const source = value.slice(mark.length);
    return read(Number(source), source);
  });
}
