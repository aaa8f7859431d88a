import { z } from 'zod';

/**
 * A validation issue about a misspelt name, or about too many names. `input` is the misspelt name
 * or the number of names.
 */
interface NameIssue {
  readonly path: readonly string[];
  readonly message: string;
  readonly input: string | number;
}

/**
 * The largest number of names in a query or a body. It is many times what any operation needs. Each
 * name is compared with the schema, and comparing 2,000 names once blocked the event loop for 8 ms.
 */
const maxNames = 100;

/**
 * The largest number of parts of a name that are compared with the schema. For example,
 * `filter[status]` has two parts. Real programs send names with fewer parts.
 */
const maxParts = 4;

/**
 * Makes a schema refuse names that look like one of its own, such as `ids[]`, `filter[status]` and
 * `category_id`. If they were ignored like other unknown names, a caller would get the whole list,
 * or create an animal without the intended status.
 *
 * @param others additional misspellings, with the names that they mean.
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
   * Returns the name in the schema that a name in the input looks like, or `undefined` if there is
   * none. Each part of a name such as `filter[status]` is compared.
   */
  function knownNameLike(name: string): string | undefined {
    if (Object.hasOwn(shape, name)) return undefined;
    const parts = name.split(/[[.]/, maxParts);
    return [name, ...(parts.length > 1 ? parts : [])]
      .map((part) => names.get(canonicalName(part)))
      .find((meant) => meant !== undefined);
  }

  function misspeltIn(inputNames: readonly string[]): NameIssue[] {
    return inputNames.flatMap((name) => {
      const meant = knownNameLike(name);
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
        const inputNames = namesOf(input);
        if (inputNames.length > maxNames) {
          const message = `expected at most ${maxNames} parameters or properties`;
          return { issues: [{ path: [], message, input: inputNames.length } satisfies NameIssue] };
        }
        const { data, error } = schema.safeParse(input);
        const misspelt = misspeltIn(inputNames);
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

/**
 * Returns a hint that shows how to send a list of values. Without the hint, callers would have to
 * guess, because programs encode lists in many ways.
 */
function howToSend(name: string, schema: z.core.$ZodType | undefined): string {
  const { examples } = (schema && z.globalRegistry.get(schema)) ?? {};
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (!Array.isArray(example)) return '';
  return `: send ${name}=${example.join()} or ${example.map((each) => `${name}=${each}`).join('&')}`;
}

/**
 * Reduces a name to a form in which common misspellings are equal. The form is in lower case,
 * contains only letters, and has no plural ending.
 */
function canonicalName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/ies$/, 'y')
    .replace(/s(es)?$/, '');
}
