/**
 * A 64-bit integer: a `number` while that is exact (up to ±(2^53 − 1)), otherwise a `bigint`.
 */
export type Int64 = number | bigint;

/** −2^63, the least 64-bit integer. */
export const int64Min: bigint = -(2n ** 63n);

/** 2^63 − 1, the greatest 64-bit integer. */
export const int64Max: bigint = 2n ** 63n - 1n;

/** No 64-bit integer has more digits. */
const maxDigits = 19;

/** Gives a whole number its one representation: `number` if that is exact, else `bigint`. */
export function normalizeInt64(value: bigint): Int64 {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/**
 * Reads a 64-bit integer in canonical decimal, as paths and query strings carry it.
 *
 * @returns `undefined` for anything else: `''`, `'007'`, `'0x10'`, `'1e1'`, `' 5 '`, 2^63.
 */
export function parseInt64(text: string): Int64 | undefined {
  // Bounded before it is believed: a hostile megabyte of digits never becomes a bigint.
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? normalizeInt64(value) : undefined;
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

// TypeScript's library does not know the third parameter yet.
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

/**
 * Parses JSON without losing integers: one that a `number` cannot hold exactly becomes a `bigint`.
 *
 * For the server, which trusts no sender and runs on a Node that hands out the source text of numbers;
 * the client has a smaller one of its own, for every runtime.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {RangeError} if it nests deeper than the stack allows.
 * @see https://tc39.es/proposal-json-parse-with-source/
 */
export function parseJson(text: string): unknown {
  return parseWithSource(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined
      ? exactNumber(value, context.source)
      : value,
  );
}

/**
 * The number that a JSON literal means, where `JSON.parse` may have rounded it to `rounded`.
 *
 * `1.0` and `1e2` are integers (JSON Schema 2020-12, §4.2.3 data model); `4503599627370496.4` is
 * not, although rounding makes it one: it becomes `NaN`, which no integer schema accepts.
 */
function exactNumber(rounded: number, source: string): number | bigint {
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

/**
 * Writes JSON with each `bigint` as a plain integer, to the last digit.
 *
 * @throws {TypeError} for a cycle.
 */
export function stringifyJson(value: unknown): string {
  try {
    // Without a replacer this is several times as fast, and few values hold a bigint.
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? rawJson(String(member)) : member,
    );
  }
}
