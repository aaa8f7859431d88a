import { Name } from '@animal-store/contract/internal';
import { holdsToken, noToken } from '@animal-store/contract/token-form';
import { z } from 'zod';
import { tidyAccountName } from './account-name.ts';

/**
 * The name of a key or operator, or an account. Such labels are shown and logged, unlike tokens.
 */
export const Label = Name.refine((text) => !holdsToken(text), { error: noToken });

// Characters that renderers ignore by Unicode, annotations, and the empty pattern of Braille. The
// list is longer than for the name of an animal: an account is a reference, so it needs no joiners.
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/**
 * The name of a new account. Two names that look alike would be two customers with a quota each.
 * Letter case is kept, because references of other systems may differ only in it.
 */
export const AccountName = z
  .string()
  .refine((text) => !invisible.test(text), {
    error: 'expected no invisible characters, such as zero-width spaces or joiners',
    abort: true,
  })
  .overwrite(tidyAccountName)
  .pipe(Label);
