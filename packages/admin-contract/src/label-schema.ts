import { Name } from '@animal-store/contract/internal';
import { holdsToken, noToken } from '@animal-store/contract/token-form';
import { z } from 'zod';
import { tidyAccountName } from './account-name.ts';

/**
 * The schema of a label: the name of an API key, an operator or an account. Labels are shown and
 * logged, so they must not contain a token.
 */
export const Label = Name.refine((text) => !holdsToken(text), { error: noToken });

// Matches invisible characters: the characters that renderers may ignore according to Unicode,
// annotation marks, and the empty Braille pattern. The pattern also matches zero-width joiners,
// because the name of an account needs none. The name of an animal may contain them, for example in
// emoji.
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/**
 * The schema of the name of a new account. Names that look alike must be equal, because each
 * account has its own quota. The schema does not change letter case: account names may be ids from
 * other systems, and such ids may differ only in case.
 */
export const AccountName = z
  .string()
  .refine((text) => !invisible.test(text), {
    error: 'expected no invisible characters, such as zero-width spaces or joiners',
    abort: true,
  })
  .overwrite(tidyAccountName)
  // Browsers and other HTTP clients remove these names from the path of a URL, even if they are
  // percent-encoded. So no request could show, suspend or change such an account.
  .refine((name) => name !== '.' && name !== '..', {
    error: 'expected a name other than "." and "..", because URLs cannot contain these names',
    abort: true,
  })
  .pipe(Label);
