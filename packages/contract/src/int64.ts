/** A 64-bit integer: a `number` if that is exact (up to ±(2^53 − 1)), otherwise a `bigint`. */
export type Int64 = number | bigint;

/** −2^63, the smallest 64-bit integer. */
export const int64Min: bigint = -(2n ** 63n);

/** 2^63 − 1, the largest 64-bit integer. */
export const int64Max: bigint = 2n ** 63n - 1n;

/**
 * Converts a whole number to its one representation: a `number` if that is exact, otherwise a
 * `bigint`.
 */
export function normalizeInt64(value: bigint): Int64 {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/**
 * Reads a 64-bit integer in canonical decimal form, as in paths and query strings.
 *
 * @returns `undefined` for anything else: `''`, `'007'`, `'0x10'`, `'1e1'`, `' 5 '`, 2^63.
 */
export function parseInt64(text: string): Int64 | undefined {
  // The pattern limits the length before BigInt reads it, so a megabyte of digits costs nothing.
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? normalizeInt64(value) : undefined;
}
