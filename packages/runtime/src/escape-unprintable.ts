/**
 * Control and format characters, and separators of lines: all that makes a terminal show another text
 * than the one that is there. A name may turn what follows it around (Trojan Source, CVE-2021-42574).
 * Line feeds are ours. The joiners belong to emoji, and to languages such as Persian.
 */
const unprintable = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\u200c\u200d]]/gv;

/** Writes characters that cannot be seen as `\u202e`, which in JSON means the same. */
export function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
