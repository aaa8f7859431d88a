import { nameLength } from '../name.ts';
import type { JsonObject } from './json-schema.ts';

/** What a document says of a name, besides what it is the name of. */
export const nameRules: JsonObject = {
  // The class of Unicode's control characters, which zod checks by \p{Cc}, in what every regular
  // expression engine reads; the length, in code points, is said apart.
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  minLength: nameLength.min,
  maxLength: nameLength.max,
};
