import { Label } from './label-schema.ts';

/**
 * The names of the holder of the `ADMIN_TOKEN` and of the local user in the audit log and the log.
 */
const reservedNames = ['ADMIN_TOKEN', 'local user'];

// Letters of Cyrillic and Greek that look like Latin ones in most fonts, with the Latin letters.
const confusable = 'аеорсухіјѕԁһӏοανι';
const latin = 'aeopcyxijsdhloavi';

/**
 * Reduces a name to its visible form: two names with the same result look alike. Compatibility
 * characters, letter case, marks, white space, hyphens and invisible characters do not count.
 * Letters of other scripts become the Latin letters that they look like.
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

/** The name of a new operator. It must not look like a reserved name. */
export const OperatorName = Label.refine((name) => !reservedLooks.has(lookOfName(name)), {
  error: `expected another name: ${reservedNames.join(' and ')}, and names that look like them, are reserved`,
});
