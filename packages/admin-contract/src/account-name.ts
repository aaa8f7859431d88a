/**
 * Normalizes the name of an account, so that names that look the same become equal. Each run of
 * white space becomes one space, white space at both ends is removed, and letters are converted to
 * the Unicode normalization form NFC.
 */
export function tidyAccountName(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}
