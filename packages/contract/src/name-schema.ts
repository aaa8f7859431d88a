import { z } from 'zod';

/** Bounds of a name, in characters (Unicode code points). */
export const nameLength = { min: 1, max: 255 } as const;

const name = {
  error: `expected ${nameLength.min} to ${nameLength.max} characters, without control characters and lone surrogates`,
};

// One pattern, because with the `u` flag it counts code points, as Postgres and JSON Schema do.
const nameCharacters = new RegExp(`^[^\\p{Cc}\\p{Cs}]{${nameLength.min},${nameLength.max}}$`, 'u');

/** @internal A name that people give: of an animal, or of an API key. */
export const Name = z.string(name).regex(nameCharacters, name).meta({
  // Unicode's control characters, in a class that every regular expression engine reads.
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  minLength: nameLength.min,
  maxLength: nameLength.max,
});
