import { z } from 'zod';

/** A JSON object of a document. */
export type JsonObject = { [name: string]: unknown };

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;

/**
 * Writes zod's schemas, with their `.meta`, as JSON Schema 2020-12. Schemas with an `id` in their
 * `.meta` are components of the document: they are written once, and referenced elsewhere.
 * Generators name their types after them, so an `id` never changes.
 */
export function createSchemaWriter() {
  const components: Record<string, JsonObject> = {};

  function write(schema: z.core.$ZodType, io: 'input' | 'output' = 'input'): JsonObject {
    const {
      $schema: _,
      $defs,
      ...json
    } = z.toJSONSchema(schema, {
      io,
      // An int64 is a number or a bigint in TypeScript, and one integer in JSON.
      unrepresentable: 'any',
      override({ jsonSchema }) {
        // The format replaces zod's pattern of 400 characters.
        if (formatsThatSuffice.has(String(jsonSchema.format))) delete jsonSchema.pattern;
        // The bounds of int64 are part of its format. As numbers, most readers of JSON would round
        // them.
        if (jsonSchema.format === 'int64') delete jsonSchema.anyOf;
        // Generators treat a member of a request with a default as always present.
        if (io === 'input') delete jsonSchema.default;
      },
    });
    for (const [name, component] of Object.entries($defs ?? {})) {
      components[name] ??= toOpenApi(component);
    }
    return toOpenApi(json);
  }

  return {
    /** Writes a schema, or a reference to it if it is a component. */
    write,

    /** The components so far, for `components.schemas`, by name. */
    components: (): JsonObject => Object.fromEntries(Object.entries(components).sort()),

    /** Returns the parameters that the members of an object describe. */
    parameters(place: 'path' | 'query' | 'header', object: z.core.$ZodType): JsonObject[] {
      // The output has the types of the service. The input says what may be left out.
      const { properties } = write(object, 'output') as { properties: Record<string, JsonObject> };
      const { required = [] } = write(object) as { required?: string[] };
      return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
        name:
          place === 'header' ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
        in: place,
        required: required.includes(name),
        description,
        // The parameter is repeated, which is OpenAPI's default, and the only form that many
        // generated clients support. The service accepts commas as well.
        ...(schema['type'] === 'array' && { style: 'form', explode: true }),
        ...(Array.isArray(examples) && { example: examples[0] }),
        schema,
      }));
    },
  };
}

const formatsThatSuffice = new Set(['date-time', 'uuid']);

/** Rewrites parts in a form that OpenAPI, or most of its generators, supports better. */
function toOpenApi(json: object): JsonObject {
  const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/');
  return rewrite(JSON.parse(text) as JsonObject);
}

function rewrite(json: JsonObject): JsonObject {
  const members = Object.entries(withoutNullUnion(withUnknownTexts(json)))
    .filter(([, member]) => !isNever(member))
    .map(([name, member]) => [name, isObject(member) ? rewrite(member) : member]);
  return Object.fromEntries(members);
}

/**
 * Writes "a known value or any other" as the known values or any string. zod writes nothing for it.
 */
function withUnknownTexts(json: JsonObject): JsonObject {
  const [known, other] = Array.isArray(json['anyOf']) ? json['anyOf'] : [];
  const isOpen = isObject(other) && Object.keys(other).length === 0;
  return isOpen ? { ...json, anyOf: [known, { type: 'string', maxLength: 64 }] } : json;
}

/** Writes "a value or `null`" as a list of types, which most generators support best. */
function withoutNullUnion(json: JsonObject): JsonObject {
  const { anyOf, ...rest } = json;
  const [value, nothing] = Array.isArray(anyOf) && anyOf.length === 2 ? anyOf : [];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string') return json;
  return { ...value, type: [value.type, 'null'], ...rest };
}

/**
 * Returns whether a member is always absent. If unknown members are refused, it need not be listed.
 */
function isNever(member: unknown): boolean {
  return isObject(member) && isObject(member['not']) && Object.keys(member['not']).length === 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
