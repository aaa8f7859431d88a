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

/**
 * Returns how many letters must be added, removed or replaced to get from one text to the other
 * (the Levenshtein distance). The service uses a library for this, but users of this package would
 * have to install the library only for an error message.
 */
function distance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = from[row - 1] === to[column - 1] ? 0 : 1;
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + replaced,
      );
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
