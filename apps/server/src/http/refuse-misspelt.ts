import type { z } from 'zod';

/** A fault that shows what was given by itself: a name, where the others show a value. */
interface NameIssue {
  readonly path: readonly [string];
  readonly message: string;
  readonly input: string;
}

/**
 * Makes a schema refuse names that look like one of its own, such as `ids[]`, `Status` and `category_id`.
 * Ignored like other unknown names, they would show a caller the whole list, or offer a sold animal.
 */
export function refuseMisspelt<Schema extends z.ZodObject>(
  schema: Schema,
): { readonly '~standard': z.core.$ZodStandardSchema<Schema> } {
  const { shape } = schema;
  const names = new Map(Object.keys(shape).map((name) => [lookOf(name), name]));

  function misspeltIn(input: unknown): NameIssue[] {
    const given = typeof input === 'object' && input !== null ? Object.keys(input) : [];
    return given.flatMap((name) => {
      const meant = Object.hasOwn(shape, name) ? undefined : names.get(lookOf(name));
      if (meant === undefined) return [];
      return [{ path: [meant], message: 'expected under exactly this name', input: name }];
    });
  }

  return {
    '~standard': {
      version: 1,
      vendor: 'animal-store',
      validate(input) {
        const { data, error } = schema.safeParse(input);
        const misspelt = misspeltIn(input);
        if (error === undefined && misspelt.length === 0) return { value: data };
        const meant = new Set<unknown>(misspelt.map(({ path: [name] }) => name));
        const others = error?.issues.filter(({ path: [name] }) => !meant.has(name)) ?? [];
        return { issues: [...misspelt, ...others] };
      },
    },
  };
}

/** A name without what programs vary: letter case, brackets and what follows, signs, digits, a plural. */
function lookOf(name: string): string {
  const [base = ''] = name.split('[', 1);
  return base
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/s$/, '');
}
