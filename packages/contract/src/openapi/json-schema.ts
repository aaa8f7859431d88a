import { z } from 'zod';
import { int64Max, int64Min } from '../int64.ts';

/** A JSON object of a document. `bigint` stands for an integer beyond 2^53. */
export type JsonObject = { [name: string]: unknown };

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;

/**
 * Writes zod's schemas, with their `.meta`, as JSON Schema 2020-12. Named schemas within another
 * become references.
 *
 * @param named the document's components. Generators name their types after them, so a name never changes.
 */
export function createSchemaWriter(named: Readonly<Record<string, z.core.$ZodType>>) {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));

  function write(schema: z.core.$ZodType, io: 'input' | 'output' = 'input'): JsonObject {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io,
      // Int64 is a number or a bigint in TypeScript, and one integer in JSON.
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const isRoot = (zodSchema as z.core.$ZodType) === schema;
        const name = isRoot ? undefined : names.get(zodSchema);
        if (name !== undefined) {
          for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
          jsonSchema.$ref = `#/components/schemas/${name}`;
        }
        // The format says what zod's pattern says in 400 characters.
        if (formatsThatSuffice.has(String(jsonSchema.format))) delete jsonSchema.pattern;
        if (jsonSchema.format === 'int64') delete jsonSchema.anyOf;
        // Generators take a member of a request that has a default for one that is always there.
        if (io === 'input') delete jsonSchema.default;
      },
    });
    return toOpenApi(json);
  }

  return {
    /** A reference to a schema, which must be a named one. */
    refer(schema: z.core.$ZodType): JsonObject {
      const name = names.get(schema);
      if (name === undefined) throw new TypeError('A schema of the contract has no name.');
      return { $ref: `#/components/schemas/${name}` };
    },

    /** The named schemas, for `components.schemas`. */
    components: (): JsonObject =>
      Object.fromEntries([...names].map(([schema, name]) => [name, write(schema)])),

    /** The parameters that the members of an object describe. */
    parameters(place: 'path' | 'query' | 'header', object: z.core.$ZodType): JsonObject[] {
      // The output says the types that the service works with, the input what may be left out.
      const { properties } = write(object, 'output') as { properties: Record<string, JsonObject> };
      const { required = [] } = write(object) as { required?: string[] };
      return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
        name:
          place === 'header' ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
        in: place,
        required: required.includes(name),
        description,
        ...(Array.isArray(examples) && { example: examples[0] }),
        schema,
      }));
    },
  };
}

const formatsThatSuffice = new Set(['date-time', 'uuid']);

/** Rewrites what OpenAPI, or most of its generators, read better in another form. */
function toOpenApi(json: JsonObject): JsonObject {
  // Zod does not write bigints.
  const bounds = json['format'] === 'int64' ? { minimum: int64Min, maximum: int64Max } : {};
  const members = Object.entries(withoutNullUnion(json))
    .filter(([, member]) => !isNever(member))
    .map(([name, member]) => [name, isObject(member) ? toOpenApi(member) : member]);
  return { ...bounds, ...Object.fromEntries(members) };
}

/** Writes "a value or `null`" as a list of types, which most generators support best. */
function withoutNullUnion(json: JsonObject): JsonObject {
  const { anyOf, ...rest } = json;
  const [value, nothing] = Array.isArray(anyOf) && anyOf.length === 2 ? anyOf : [];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string') return json;
  return { ...value, type: [value.type, 'null'], ...rest };
}

/** Tells whether a member may never be there. Where unknown members are refused, it need not be listed. */
function isNever(member: unknown): boolean {
  return isObject(member) && isObject(member['not']) && Object.keys(member['not']).length === 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
