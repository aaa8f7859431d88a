import { z } from 'zod';
import { faultOfNewName } from './new-name.ts';

/** Bounds of a name, in characters (Unicode code points). */
export const nameLength = { min: 1, max: 255 } as const;

const name = {
  error: `expected ${nameLength.min} to ${nameLength.max} characters, without control characters and lone surrogates`,
};

// One pattern, because with the `u` flag it counts code points, as Postgres and JSON Schema do.
const nameCharacters = new RegExp(`^[^\\p{Cc}\\p{Cs}]{${nameLength.min},${nameLength.max}}$`, 'u');

/** @internal A name that people give: of an animal, or of an API key. One of another form is not looked at any further. */
export const Name = z
  .string(name)
  .regex(nameCharacters, { ...name, abort: true })
  .meta({
    // Unicode's control characters, in a class that every regular expression engine reads.
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    minLength: nameLength.min,
    maxLength: nameLength.max,
  });

/**
 * @internal The name of a new animal. Stored ones may be older than what {@link faultOfNewName} asks, which
 * is not in the pattern either: that may not change within v1.
 */
export const NewName = Name.superRefine((text, context) => {
  const message = faultOfNewName(text);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
