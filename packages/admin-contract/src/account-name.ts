/** Writes what looks the same in one way: one space for any white space, none at the ends, letters in NFC. */
export function tidyAccountName(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}
