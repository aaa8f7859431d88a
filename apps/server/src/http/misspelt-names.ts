import { z } from 'zod';

/** A fault that contains the misspelt name itself, where other faults refer to a value. */
interface NameIssue {
  readonly path: readonly string[];
  readonly message: string;
  readonly input: string | number;
}

/**
 * The most names that a query or a body may have, which is many times what any operation takes.
 * Each name is compared with the schema, and 2,000 names once took 8 ms of the event loop.
 */
const maxNames = 100;

/** How many parts of a name are compared with the schema. Programs write fewer parts. */
const maxParts = 4;

/**
 * Makes a schema refuse names that look like one of its own, such as `ids[]`, `filter[status]` and
 * `category_id`. If they were ignored like other unknown names, a caller would get the whole list,
 * or offer a sold animal.
 *
 * @param others more names that count as misspellings, with the names that they mean.
 */
export function refuseMisspelt<Schema extends z.ZodObject>(
  schema: Schema,
  others: Readonly<Record<string, string>> = {},
): { readonly '~standard': z.core.$ZodStandardSchema<Schema> } {
  const { shape } = schema;
  const own = Object.keys(shape).map((name) => [name, name] as const);
  const names = new Map(
    [...own, ...Object.entries(others)].map(([name, meant]) => [canonicalName(name), meant]),
  );

  /**
   * Returns the name of the schema that another name looks like; `undefined` if there is none. In
   * `filter[status]`, each part is compared.
   */
  function meantBy(name: string): string | undefined {
    if (Object.hasOwn(shape, name)) return undefined;
    const parts = name.split(/[[.]/, maxParts);
    return [name, ...(parts.length > 1 ? parts : [])]
      .map((part) => names.get(canonicalName(part)))
      .find((meant) => meant !== undefined);
  }

  function misspeltIn(given: readonly string[]): NameIssue[] {
    return given.flatMap((name) => {
      const meant = meantBy(name);
      if (meant === undefined) return [];
      const message = `expected exactly this name${howToSend(meant, shape[meant])}`;
      return [{ path: [meant], message, input: name }];
    });
  }

  return {
    '~standard': {
      version: 1,
      vendor: 'animal-store',
      validate(input) {
        const given = namesOf(input);
        if (given.length > maxNames) {
          const message = `expected at most ${maxNames} parameters or members`;
          return { issues: [{ path: [], message, input: given.length } satisfies NameIssue] };
        }
        const { data, error } = schema.safeParse(input);
        const misspelt = misspeltIn(given);
        if (error === undefined && misspelt.length === 0) return { value: data };
        const meant = new Set<unknown>(misspelt.map(({ path: [name] }) => name));
        const others = error?.issues.filter(({ path: [name] }) => !meant.has(name)) ?? [];
        return { issues: [...misspelt, ...others] };
      },
    },
  };
}

function namesOf(input: unknown): string[] {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? Object.keys(input) : [];
}

/** Explains how to send a list, because programs write lists in many ways. */
function howToSend(name: string, schema: z.core.$ZodType | undefined): string {
  const { examples } = (schema && z.globalRegistry.get(schema)) ?? {};
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (!Array.isArray(example)) return '';
  return `: send ${name}=${example.join()} or ${example.map((each) => `${name}=${each}`).join('&')}`;
}

/**
 * Reduces a name to what programs do not vary: they vary letter case, brackets, signs, digits and
 * the plural.
 */
function canonicalName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/ies$/, 'y')
    .replace(/s(es)?$/, '');
}
