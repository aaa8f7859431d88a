import { holdsToken, noToken } from './token-form.ts';

// White space, what Unicode has renderers ignore, and the empty pattern of Braille, which looks like a space.
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

// Overrides, embeddings and isolates of the direction, zero-width spaces, fillers, tags, separators of lines:
// with them a name looks like another, or turns the text around it (Unicode TR 36, §2 and §3). Ordinary text
// needs what is excepted: marks of the direction, joiners, selectors of variants, the Mongolian ones too.
const invisible =
  /(?!\p{Variation_Selector}|[\u061c\u180e\u200c-\u200f])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;

/**
 * Says what is expected of the name of a new animal, besides its length and the absence of control
 * characters, if the name is not so.
 */
export function faultOfNewName(name: string): string | undefined {
  if (name !== '' && !visible.test(name)) return 'expected a character that can be seen';
  if (invisible.test(name)) {
    return 'expected no invisible characters, such as zero-width spaces or overrides of the direction';
  }
  // A caller may have put its API key into the wrong place. Everybody can read the name of an animal.
  return holdsToken(name) ? noToken : undefined;
}
