type Check = readonly [isValid: (value: string) => boolean, expected: string];

/** What happens to a parameter of a URL. */
export interface ParameterRule {
  readonly kind: 'supported' | 'ignored' | 'refused';
  /** Which values are accepted. */
  readonly check?: Check | undefined;
  /** Why it is ignored or refused, and what to write instead. */
  readonly hint?: string | undefined;
}

export const supported = (check: Check, hint?: string): ParameterRule => ({
  kind: 'supported',
  check,
  hint,
});

/** It cannot matter, so its value is not checked unless some values would. */
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
 * Reads the parameters of a URL by a table of all that are known.
 *
 * @param query what follows the question mark.
 * @returns the values of those that are supported, and a note for each that is ignored; or what is wrong as a
 * text. It names the parameter and never holds its value, which may be a secret.
 */
export function readParameters(
  rules: Readonly<Record<string, ParameterRule>>,
  query: string,
): { values: Readonly<Record<string, string>>; notes: readonly string[] } | string {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(query)) {
    // A name that is none may be part of a password with a question mark.
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
