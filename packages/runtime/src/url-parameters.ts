type Check = readonly [isValid: (value: string) => boolean, expected: string];

/** The rule for a parameter of a URL. */
export interface ParameterRule {
  readonly kind: 'supported' | 'ignored' | 'refused';
  /** Which values are accepted. */
  readonly check?: Check | undefined;
  /** Why the parameter is ignored or refused, and what to write instead. */
  readonly hint?: string | undefined;
}

export const supported = (check: Check, hint?: string): ParameterRule => ({
  kind: 'supported',
  check,
  hint,
});

/** The parameter has no effect. Its value is checked only if some of its values would have one. */
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

/**
 * Reads the parameters of a URL by a table of all known parameters.
 *
 * @param query the text after the question mark.
 * @returns the values of supported parameters, and a note for each ignored one; or a text about
 *   what is wrong. The text names the parameter and never contains its value, which may be a
 *   secret.
 */
export function readParameters(
  rules: Readonly<Record<string, ParameterRule>>,
  query: string,
): { values: Readonly<Record<string, string>>; notes: readonly string[] } | string {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(query)) {
    // An invalid name may be part of a password with a question mark.
    if (!/^\w{1,40}$/.test(name)) return 'expected parameters such as ?name=value';
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
