import { distance } from 'fastest-levenshtein';

/** The largest number of wrong letters with which a name still counts as misspelt. */
const maxWrongLetters = 3;

/**
 * Checks the names of options. An option with an unknown name would have no effect.
 *
 * @param path the text before each name in the message, such as `banPolicy.`.
 * @throws {TypeError} that names the unknown option, and the option with the most similar name. If
 *   no name is similar, the message contains all names.
 */
export function checkNames(options: object, known: readonly string[], path = ''): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const wrongLetters = (other: string) => distance(other.toLowerCase(), name.toLowerCase());
    const similar = known
      .filter((other) => wrongLetters(other) <= Math.min(maxWrongLetters, name.length / 2))
      .sort((a, b) => wrongLetters(a) - wrongLetters(b));
    const advice = similar[0] === undefined ? `one of ${known.join(', ')}` : similar[0];
    throw new TypeError(`${path}${name}: unknown option, expected ${advice}`);
  }
}
