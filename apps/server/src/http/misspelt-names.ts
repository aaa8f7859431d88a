import { z } from 'zod';

/** A fault that shows what was given by itself: a name, where the others show a value. */
interface NameIssue {
  readonly path: readonly string[];
  readonly message: string;
  readonly input: string | number;
}

/**
 * The most names that a query or a body may have: many times what any operation takes. Each name is compared with
 * the schema, so 2,000 of them once took 8 ms of the event loop.
 */
const maxNames = 100;

/** In so many parts of a name one of the schema is looked for: more than programs write. */
const maxParts = 4;

/**
 * Makes a schema refuse names that look like one of its own, such as `ids[]`, `filter[status]` and `category_id`.
 * Ignored like other unknown names, they would show a caller the whole list, or offer a sold animal.
 *
 * @param others more names that are taken for one of the schema.
 */
export function refuseMisspelt<Schema extends z.ZodObject>(
  schema: Schema,
  others: Readonly<Record<string, string>> = {},
): { readonly '~standard': z.core.$ZodStandardSchema<Schema> } {
  const { shape } = schema;
  const own = Object.keys(shape).map((name) => [name, name] as const);
  const names = new Map(
    [...own, ...Object.entries(others)].map(([name, meant]) => [lookOf(name), meant]),
  );

  /** The name of the schema that another one looks like, if it does. Of `filter[status]`, either part may. */
  function meantBy(name: string): string | undefined {
    if (Object.hasOwn(shape, name)) return undefined;
    const parts = name.split(/[[.]/, maxParts);
    return [name, ...(parts.length > 1 ? parts : [])]
      .map((part) => names.get(lookOf(part)))
      .find((meant) => meant !== undefined);
  }

  function misspeltIn(given: readonly string[]): NameIssue[] {
    return given.flatMap((name) => {
      const meant = meantBy(name);
      if (meant === undefined) return [];
      const message = `expected under exactly this name${howToSend(meant, shape[meant])}`;
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

/** Programs write lists in many ways. */
function howToSend(name: string, schema: z.core.$ZodType | undefined): string {
  const { examples } = (schema && z.globalRegistry.get(schema)) ?? {};
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (!Array.isArray(example)) return '';
  return `: send ${name}=${example.join()} or ${example.map((each) => `${name}=${each}`).join('&')}`;
}

/** A name without what programs vary: letter case, brackets, signs, digits, a plural. */
function lookOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/ies$/, 'y')
    .replace(/s(es)?$/, '');
}
