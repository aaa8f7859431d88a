import { z } from 'zod';
import { int64Max, int64Min } from '../int64.ts';

/** A JSON object of a document. `bigint` stands for an integer beyond 2^53. */
export type JsonObject = { [name: string]: unknown };

/** What a document says of schemas. */
export interface SchemaVocabulary {
  /** The named schemas. Their names are what generators call their types, so they never change. */
  readonly names: ReadonlyMap<z.core.$ZodType, string>;
  /**
   * What a schema cannot say in zod, or says in a way that only JavaScript reads. A note with a type
   * or a pattern takes the place of what zod says, any other adds to it.
   */
  readonly notes: ReadonlyMap<z.core.$ZodType, JsonObject>;
}

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;

/** Writes zod's schemas as JSON Schema 2020-12, the named ones within them as references. */
export function createSchemaWriter({ names, notes }: SchemaVocabulary) {
  function write(schema: z.core.$ZodType, io: 'input' | 'output' = 'input'): JsonObject {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io,
      // Int64 is a number or a bigint to TypeScript, and one integer to everybody else.
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        // Zod's pattern says in 400 characters what the format says.
        if (formatsThatSuffice.has(String(jsonSchema.format))) delete jsonSchema.pattern;
        // Generators take a member of a request that has a default for one that is always there.
        if (io === 'input') delete jsonSchema.default;
        const isRoot = (zodSchema as z.core.$ZodType) === schema;
        const name = isRoot ? undefined : names.get(zodSchema);
        const note = notes.get(zodSchema);
        if (name !== undefined) replace(jsonSchema, referenceTo(name));
        else if (note?.['type'] !== undefined || note?.['pattern'] !== undefined) {
          replace(jsonSchema, { type: jsonSchema.type, ...note });
        } else Object.assign(jsonSchema, note);
      },
    });
    return settle(json);
  }

  return {
    /** A reference to a schema, which must be a named one. */
    refer(schema: z.core.$ZodType): JsonObject {
      const name = names.get(schema);
      if (name === undefined) throw new TypeError('A schema of the contract has no name.');
      return referenceTo(name);
    },

    /** The named schemas, for `components.schemas`. */
    components: (): JsonObject =>
      Object.fromEntries([...names].map(([schema, name]) => [name, write(schema)])),

    /** The members of a query or of a path's parameters, each with whether it must be there. */
    members(schema: z.core.$ZodType): { name: string; required: boolean; schema: JsonObject }[] {
      // What the service works with says the types, what a client sends says what may be left out.
      const { properties } = write(schema, 'output') as { properties: Record<string, JsonObject> };
      const { required = [] } = write(schema) as { required?: string[] };
      return Object.entries(properties).map(([name, member]) => ({
        name,
        required: required.includes(name),
        schema: member,
      }));
    },
  };
}

const formatsThatSuffice = new Set(['date-time', 'uuid']);

/** Says what zod says in the words of OpenAPI, where they differ. */
function settle(json: JsonObject): JsonObject {
  // Zod writes no bigints.
  const bounds = json['format'] === 'int64' ? { minimum: int64Min, maximum: int64Max } : {};
  const members = Object.entries(withoutNullUnion(json))
    .filter(([, member]) => !isNever(member))
    .map(([name, member]) => [name, isObject(member) ? settle(member) : member]);
  return { ...bounds, ...Object.fromEntries(members) };
}

/** A value or `null`, as a list of types: as most generators read it best. */
function withoutNullUnion(json: JsonObject): JsonObject {
  const { anyOf, ...rest } = json;
  const [value, nothing] = Array.isArray(anyOf) && anyOf.length === 2 ? anyOf : [];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string') return json;
  return { ...value, type: [value.type, 'null'], ...rest };
}

/** Whether a member may not be there; where others are refused it need not be named. */
function isNever(member: unknown): boolean {
  return isObject(member) && isObject(member['not']) && Object.keys(member['not']).length === 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function referenceTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function replace(target: object, source: object): void {
  for (const key of Object.keys(target)) delete (target as JsonObject)[key];
  Object.assign(target, source);
}
