// Shows how to write and read JSON with 64-bit categories. `JSON.stringify` throws an error for a
// bigint, and `JSON.parse` rounds large integers.

import { type Pet, parseJson, stringifyJson } from '@animal-store/client';

/** Writes JSON for a file, a cache, or a service that reads 64-bit integers exactly. */
export const toExactJson = (pet: Pet): string => stringifyJson(pet);
export const fromExactJson = (text: string): Pet => parseJson(text) as Pet;

/**
 * Writes JSON for a reader that rounds large integers, such as `JSON.parse` in a browser. The
 * category is written as a string.
 */
export const toJsonWithStrings = (pet: Pet): string =>
  JSON.stringify(pet, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
