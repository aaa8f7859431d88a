// Your own JSON with 64-bit categories: `JSON.stringify` throws on a bigint, and `JSON.parse`
// rounds.

import { type Pet, parseJson, stringifyJson } from '@animal-store/client';

/** Writes JSON for a file, a cache or another service that reads integers exactly. */
export const toExactJson = (pet: Pet): string => stringifyJson(pet);
export const fromExactJson = (text: string): Pet => parseJson(text) as Pet;

/**
 * Writes JSON for a reader that rounds, such as `JSON.parse` in a browser: the category is a
 * string.
 */
export const toJsonWithStrings = (pet: Pet): string =>
  JSON.stringify(pet, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
