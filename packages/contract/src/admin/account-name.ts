import { z } from 'zod';
import { Label } from './label-schema.ts';

// All that Unicode has renderers ignore, annotations, and the empty pattern of Braille. More than in the name of an
// animal: an account is a reference, so it needs no joiners.
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Writes what looks the same in one way: one space for any white space, none at the ends, letters in NFC. */
export function tidyAccountName(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}

/**
 * The name of a new account. Two that look alike would be two customers, with a quota each. Letter case stays:
 * references of other systems may differ in nothing else.
 */
export const AccountName = z
  .string()
  .refine((text) => !invisible.test(text), {
    error: 'expected no invisible characters, such as zero-width spaces or joiners',
    abort: true,
  })
  .overwrite(tidyAccountName)
  .pipe(Label);
