import { z } from 'zod';
import { faultOfNewName } from './new-name.ts';

/** The minimum and maximum length of a name, in characters (Unicode code points). */
export const nameLength = { min: 1, max: 255 } as const;

const name = {
  error: `expected ${nameLength.min} to ${nameLength.max} characters, without control characters and lone surrogates`,
};

// One pattern checks the characters and the length. With the `u` flag, it counts code points, like
// Postgres and JSON Schema.
const nameCharacters = new RegExp(`^[^\\p{Cc}\\p{Cs}]{${nameLength.min},${nameLength.max}}$`, 'u');

/**
 * @internal The schema of a name that people choose, such as the name of an animal or of an API
 *   key. If the pattern does not match, `abort` skips all further checks.
 */
export const Name = z
  .string(name)
  .regex(nameCharacters, { ...name, abort: true })
  .meta({
    // This pattern excludes Unicode's control characters, in a syntax that every regular expression
    // engine supports.
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    minLength: nameLength.min,
    maxLength: nameLength.max,
  });

/**
 * @internal The schema of a new animal's name. Animals that were stored earlier need not follow the
 *   rules of {@link faultOfNewName}. The pattern does not contain these rules, because the published
 *   pattern must not change within v1.
 */
export const NewName = Name.superRefine((text, context) => {
  const message = faultOfNewName(text);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
