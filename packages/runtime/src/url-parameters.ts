type Check = readonly [isValid: (value: string) => boolean, expected: string];

/** The rule for one parameter of a URL. */
export interface ParameterRule {
  readonly kind: 'supported' | 'ignored' | 'refused';
  /** The values that the parameter may have. */
  readonly check?: Check | undefined;
  /** A hint for people: why the parameter is ignored or refused, and what to write instead. */
  readonly hint?: string | undefined;
}

export const supported = (check: Check, hint?: string): ParameterRule => ({
  kind: 'supported',
  check,
  hint,
});

/**
 * Creates the rule for a parameter that has no effect. A check is needed if the parameter may be
 * ignored only with some of its values.
 */
export const ignored = (hint: string, check?: Check): ParameterRule => ({
  kind: 'ignored',
  check,
  hint,
});

export const refused = (hint: string): ParameterRule => ({ kind: 'refused', hint });

export const oneOf = (...values: readonly string[]): Check => [
  (value) => values.includes(value),
  `one of ${values.join(', ')}`,
];

const expectedParameters =
  'expected parameters such as ?name=value; write a question mark in a password as %3F';

/**
 * Reads the parameters of a URL by a table of all known parameters.
 *
 * @param query the text after the question mark.
 * @returns the values of supported parameters, and a note for each ignored parameter. If a
 *   parameter is invalid, it returns a text about what is wrong. The text never contains the value of
 *   a parameter, which may be a secret.
 */
export function readParameters(
  rules: Readonly<Record<string, ParameterRule>>,
  query: string,
): { values: Readonly<Record<string, string>>; notes: readonly string[] } | string {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(query)) {
    // A malformed name may be part of a password that contains a question mark, so the message does
    // not show it.
    if (!/^\w{1,40}$/.test(name)) return expectedParameters;
    if (seen.has(name)) return `${name}: expected once`;
    seen.add(name);
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    const hint = rule?.hint === undefined ? '' : ` (${rule.hint})`;
    if (rule === undefined) return `${name}: unknown parameter; remove it`;
    if (rule.kind === 'refused') return `${name}: refused${hint}`;
    const [isValid, expected] = rule.check ?? [() => true, ''];
    if (!isValid(value)) return `${name}: expected ${expected}${hint}`;
    if (rule.kind === 'supported') values[name] = value;
    else notes.push(`${name} is ignored${hint}`);
  }
  return { values, notes };
}
