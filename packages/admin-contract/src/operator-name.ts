import { Label } from './label-schema.ts';

/** The names that the audit log and the log give to the holder of the `ADMIN_TOKEN` and to the local user. */
const reservedNames = ['ADMIN_TOKEN', 'local user'];

// Letters of Cyrillic and Greek that look like Latin ones in most fonts, and the Latin ones.
const confusable = 'аеорсухіјѕԁһӏοανι';
const latin = 'aeopcyxijsdhloavi';

/**
 * Reduces a name to what people see of it: two names with the same result look alike. Compatibility characters, letter
 * case, marks, white space, hyphens and invisible characters do not count, and letters of other scripts are taken for
 * the Latin ones that they look like.
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

/** The name of a new operator. It must not pass for somebody who is no operator. */
export const OperatorName = Label.refine((name) => !reservedLooks.has(lookOfName(name)), {
  error: `expected another name: ${reservedNames.join(' and ')}, and what looks like them, are reserved`,
});
