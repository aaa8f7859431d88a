/**
 * A 64-bit integer. The type is `number` up to ±(2^53 − 1), where a `number` is exact, and
 * otherwise `bigint`.
 */
export type Int64 = number | bigint;

/** The smallest 64-bit integer, −2^63. */
export const int64Min: bigint = -(2n ** 63n);

/** The largest 64-bit integer, 2^63 − 1. */
export const int64Max: bigint = 2n ** 63n - 1n;

/**
 * Converts an integer to a `number` if a `number` can represent it exactly, and otherwise to a
 * `bigint`. So equal integers always have the same type.
 */
export function normalizeInt64(value: bigint): Int64 {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/**
 * Parses a 64-bit integer in its canonical decimal form, as in paths and query strings.
 *
 * @returns `undefined` for all other texts, such as `''`, `'007'`, `'0x10'`, `'1e1'`, `' 5 '` and
 *   2^63.
 */
export function parseInt64(text: string): Int64 | undefined {
  // The pattern limits the number of digits before `BigInt` reads them. Otherwise a caller could
  // block the process with a megabyte of digits.
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? normalizeInt64(value) : undefined;
}
