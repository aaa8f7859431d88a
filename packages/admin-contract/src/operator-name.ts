import { Label } from './label-schema.ts';

/**
 * The names that the audit log and the log show for someone without an operator's token: the holder
 * of the `ADMIN_TOKEN`, and the local user.
 */
const reservedNames = ['ADMIN_TOKEN', 'local user'];

// Cyrillic and Greek letters that look like Latin letters in most fonts. `latin` has the similar
// letters in the same order.
const confusable = 'аеорсухіјѕԁһӏοανι';
const latin = 'aeopcyxijsdhloavi';

/**
 * Returns the same text for all names that look alike. Compatibility forms, letter case, accents,
 * white space, hyphens and invisible characters make no difference. Cyrillic and Greek letters
 * become the Latin letters that they look like.
 */
export function lookOfName(name: string): string {
  return Array.from(
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}\s\p{Pd}_.]/gu, ''),
    (letter) => latin[confusable.indexOf(letter)] ?? letter,
  ).join('');
}

const reservedLooks = new Set(reservedNames.map(lookOfName));

/** The schema of the name of a new operator. The name must not look like a reserved name. */
export const OperatorName = Label.refine((name) => !reservedLooks.has(lookOfName(name)), {
  error: `expected another name: ${reservedNames.join(' and ')}, and names that look like them, are reserved`,
});
