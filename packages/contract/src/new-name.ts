import { holdsToken, noToken } from './token-form.ts';

// White space, characters that renderers ignore by Unicode, and the empty pattern of Braille, which
// looks like a space.
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

// Overrides, embeddings and isolates of the direction, zero-width spaces, fillers, tags, and line
// separators. With them, a name looks like another name, or reverses the text around it (Unicode TR
// 36, §2 and §3). The exceptions are needed by ordinary text: direction marks, joiners, and
// variation selectors, including the Mongolian ones.
const invisible =
  /(?!\p{Variation_Selector}|[\u061c\u180e\u200c-\u200f])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;

/**
 * Returns which rule the name of a new animal breaks, besides the length and control characters;
 * `undefined` if it breaks none.
 */
export function faultOfNewName(name: string): string | undefined {
  if (name !== '' && !visible.test(name)) return 'expected a character that can be seen';
  if (invisible.test(name)) {
    return 'expected no invisible characters, such as zero-width spaces or overrides of the direction';
  }
  // A caller may have put its API key into the wrong field, and everybody can read the name of an
  // animal.
  return holdsToken(name) ? noToken : undefined;
}
