import { z } from 'zod';
import { faultOfNewName } from './new-name.ts';

/** Bounds of a name, in characters (Unicode code points). */
export const nameLength = { min: 1, max: 255 } as const;

const name = {
  error: `expected ${nameLength.min} to ${nameLength.max} characters, without control characters and lone surrogates`,
};

// There is one pattern, because with the `u` flag it counts code points, like Postgres and JSON
// Schema.
const nameCharacters = new RegExp(`^[^\\p{Cc}\\p{Cs}]{${nameLength.min},${nameLength.max}}$`, 'u');

/**
 * @internal A name that people choose, for an animal or an API key. A name in another form is not
 *   checked further.
 */
export const Name = z
  .string(name)
  .regex(nameCharacters, { ...name, abort: true })
  .meta({
    // The class contains Unicode's control characters, in a form that every regular expression
    // engine supports.
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    minLength: nameLength.min,
    maxLength: nameLength.max,
  });

/**
 * @internal The name of a new animal. Stored names may be older than the rules of {@link
 *   faultOfNewName}. These rules are not in the pattern either, because the pattern may not change
 *   within v1.
 */
export const NewName = Name.superRefine((text, context) => {
  const message = faultOfNewName(text);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
