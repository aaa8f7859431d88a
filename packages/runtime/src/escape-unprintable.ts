/**
 * Matches control and format characters, and line separators, which make a terminal show a
 * different text. A name may reverse the text after it (Trojan Source, CVE-2021-42574). Line feeds
 * are our own. Joiners are allowed, because emoji and languages such as Persian use them.
 */
const unprintable = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\u200c\u200d]]/gv;

/** Writes invisible characters as `\u202e`, which has the same meaning in JSON. */
export function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
