import { holdsToken, noToken } from './token-form.ts';

// Matches a visible character. White space and the characters that renderers may ignore according
// to Unicode are not visible. The empty Braille pattern is not visible either, because it looks
// like a space.
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

// Matches characters that can make a name look like another name, or reverse the text around it
// (Unicode TR 36, §2 and §3). These are overrides, embeddings and isolates of the text direction,
// zero-width spaces, fillers, tags, and line separators.
//
// Direction marks, joiners and variation selectors are allowed, because ordinary text needs them.
const invisible =
  /(?!\p{Variation_Selector}|[\u061c\u180e\u200c-\u200f])[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;

/**
 * Checks the name of a new animal for invisible characters, and for API keys and other tokens of
 * the service. Returns the message about the broken rule, or `undefined` if the name is valid. The
 * schema `Name` checks the length and the control characters.
 */
export function faultOfNewName(name: string): string | undefined {
  if (name !== '' && !visible.test(name)) return 'expected at least one visible character';
  if (invisible.test(name)) {
    return 'expected no invisible characters, such as zero-width spaces or characters that change the text direction';
  }
  // A caller may have put its API key into the wrong field. Everybody who can read the animal could
  // then use the key.
  return holdsToken(name) ? noToken : undefined;
}
