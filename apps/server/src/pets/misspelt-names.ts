import { createMisspeltNameFinder } from '@animal-store/contract/internal';
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
  const knownNameLike = createMisspeltNameFinder(Object.keys(shape), others);

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
