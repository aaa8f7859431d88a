/**
 * Normalizes names that look the same: any white space becomes one space, the ends have none, and
 * letters are in NFC.
 */
export function tidyAccountName(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}
