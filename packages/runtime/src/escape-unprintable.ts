/**
 * Matches control characters, format characters and line separators. With them, a terminal shows a
 * different text. For example, a name may reverse the text after it (Trojan Source,
 * CVE-2021-42574).
 *
 * Line feeds are excluded, because the programs that print these texts use them between lines.
 * Joiners are excluded, because emoji and languages such as Persian need them.
 */
const unprintable = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\u200c\u200d]]/gv;

/** Escapes unprintable characters, such as `\u202e`. JSON uses the same escape sequences. */
export function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
