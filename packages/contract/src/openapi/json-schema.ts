import { z } from 'zod';

/** A JSON object in an OpenAPI document. */
export type JsonObject = { [name: string]: unknown };

export type SchemaWriter = ReturnType<typeof createSchemaWriter>;

/**
 * Creates the functions that convert zod schemas, with their `.meta`, to JSON Schema 2020-12. A
 * schema with an `id` in its `.meta` becomes a component: it is written once, and referenced
 * elsewhere. Code generators name their types after the `id`, so an `id` must never change.
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
      // zod cannot convert the schema of an int64, which is a number or a bigint in TypeScript.
      // With `any`, zod writes an empty schema for the bigint, and takes the type `integer` from the
      // `.meta` of the schema.
      unrepresentable: 'any',
      override({ jsonSchema }) {
        // For some formats, zod adds a pattern of 400 characters. The name of the format says the
        // same, so the pattern is deleted.
        if (formatsThatSuffice.has(String(jsonSchema.format))) delete jsonSchema.pattern;
        // The bounds are removed, because the format `int64` implies them. Most JSON readers would
        // round bounds that are written as numbers.
        if (jsonSchema.format === 'int64') delete jsonSchema.anyOf;
        // The default is removed, because code generators treat a request property with a default
        // as always present. Callers would have to send the property.
        if (io === 'input') delete jsonSchema.default;
      },
    });
    for (const [name, component] of Object.entries($defs ?? {})) {
      components[name] ??= toOpenApi(component);
    }
    return toOpenApi(json);
  }

  return {
    /** Converts a schema. Returns a reference if the schema is a component. */
    write,

    /** Returns all components that were written so far, by name, for `components.schemas`. */
    components: (): JsonObject => Object.fromEntries(Object.entries(components).sort()),

    /** Returns the OpenAPI parameters for the properties of an object schema. */
    parameters(place: 'path' | 'query' | 'header', object: z.core.$ZodType): JsonObject[] {
      // A parameter is described by two schemas. The output schema contains the types after
      // parsing, which the service uses. Only the input schema says which parameters the caller
      // must send.
      const { properties } = write(object, 'output') as { properties: Record<string, JsonObject> };
      const { required = [] } = write(object) as { required?: string[] };
      return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
        name:
          place === 'header' ? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
        in: place,
        required: required.includes(name),
        description,
        // A list is written as a repeated parameter. This form is OpenAPI's default, and the only
        // form that many generated clients support. The service also accepts values that are
        // separated by commas.
        ...(schema['type'] === 'array' && { style: 'form', explode: true }),
        ...(Array.isArray(examples) && { example: examples[0] }),
        schema,
      }));
    },
  };
}

const formatsThatSuffice = new Set(['date-time', 'uuid']);

/**
 * Rewrites JSON Schema into forms that OpenAPI, and most of its code generators, support better.
 */
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
 * Rewrites a union of known values and any other string. zod writes an empty schema for "any other
 * string"; this function writes a string schema.
 */
function withUnknownTexts(json: JsonObject): JsonObject {
  const [known, other] = Array.isArray(json['anyOf']) ? json['anyOf'] : [];
  const isOpen = isObject(other) && Object.keys(other).length === 0;
  return isOpen ? { ...json, anyOf: [known, { type: 'string', maxLength: 64 }] } : json;
}

/**
 * Rewrites a union of a value and `null` to a list of types, which most code generators support
 * best.
 */
function withoutNullUnion(json: JsonObject): JsonObject {
  const { anyOf, ...rest } = json;
  const [value, nothing] = Array.isArray(anyOf) && anyOf.length === 2 ? anyOf : [];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string') return json;
  return { ...value, type: [value.type, 'null'], ...rest };
}

/**
 * Returns whether a property is never allowed. Such a property need not be listed, because the
 * object refuses all unlisted properties anyway.
 */
function isNever(member: unknown): boolean {
  return isObject(member) && isObject(member['not']) && Object.keys(member['not']).length === 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
