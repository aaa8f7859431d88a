import { z } from 'zod';
import { ErrorBody, errorStatus } from '../error.ts';
import { int64Max, int64Min } from '../int64.ts';
import { ListPetsQuery, NewPet, nameLength, Pet, PetPath, PetStatus, Pets } from '../pet.ts';

/** A JSON object of the document. `bigint` stands for an integer beyond 2^53. */
export type JsonObject = { [name: string]: unknown };

/** An animal as every example shows it. */
export const mia = { id: 1, name: 'Mia', categoryId: 3, status: 'available' } as const;

/** The named schemas. Their names are what generators call their types, so they never change. */
const components = new Map<z.core.$ZodType, string>([
  [Pet, 'Pet'],
  [NewPet, 'NewPet'],
  [Pets, 'Pets'],
  [PetStatus, 'PetStatus'],
  [ErrorBody, 'Error'],
]);

const int64 = { type: 'integer', format: 'int64' } as const;

const status =
  'Availability of the animal. A new animal without a status is `available`; the service always sends it.';

// What a schema cannot say in zod, or says in a way that only JavaScript reads.
const notes = new Map<z.core.$ZodType, JsonObject>([
  [Pet, { description: 'An animal in the catalogue.', examples: [mia] }],
  [
    Pet.shape.id,
    {
      format: 'int64',
      description:
        'Identifies the animal. Assigned by the service on creation, and at most 2^53 − 1, so that a double holds it exactly.',
      examples: [mia.id],
    },
  ],
  [
    Pet.shape.name,
    {
      // The class of Unicode's control characters, which zod checks by \p{Cc}, in what every
      // regular expression engine reads; the length, in code points, is said apart.
      pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
      minLength: nameLength.min,
      maxLength: nameLength.max,
      description: "The animal's name: any characters but control characters, in valid Unicode.",
      examples: [mia.name],
    },
  ],
  [
    Pet.shape.categoryId,
    {
      ...int64,
      description:
        'Identifies the category that the animal belongs to: any 64-bit integer. Read it without rounding; a double does not hold them all.',
      examples: [mia.categoryId],
    },
  ],
  [Pet.shape.status, { description: status }],
  [
    NewPet,
    {
      description:
        'What to send to add an animal: a Pet without its `id`. Members that are not listed here are ignored.',
      examples: [{ name: mia.name, categoryId: mia.categoryId, status: mia.status }],
    },
  ],
  [
    NewPet.shape.status,
    // Without the keyword `default`: generators take a member that has one for always there.
    { description: 'Availability of the animal: `available` if it is left out.' },
  ],
  [Pets, { description: 'A page of the catalogue, by `id` ascending.', examples: [[mia]] }],
  [PetStatus, { description: 'Where an animal stands in its sale.' }],
  [
    ErrorBody,
    {
      description: 'The body of every answer that is not a success.',
      examples: [
        { code: 'pet_not_found', message: 'There is no animal with the id 7.', status: 404 },
      ],
    },
  ],
  [
    ErrorBody.shape.code,
    {
      description:
        'Machine-readable error code. Within v1 codes are only added: treat one that you do not know by its status.',
      examples: Object.keys(errorStatus),
    },
  ],
  [
    ErrorBody.shape.message,
    {
      description: 'Human-readable description, at most 1 kB. It may change; do not parse it.',
      examples: ['There is no animal with the id 7.'],
    },
  ],
  [
    ErrorBody.shape.status,
    {
      format: 'int32',
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status code of the response.',
      examples: [404],
    },
  ],
]);

/** Writes a schema as JSON Schema 2020-12, the named ones within it as references. */
function toJsonSchema(schema: z.core.$ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    // Int64 is a number or a bigint to TypeScript, and one integer to everybody else.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const isRoot = (zodSchema as z.core.$ZodType) === schema;
      const name = isRoot ? undefined : components.get(zodSchema);
      const note = notes.get(zodSchema);
      if (name !== undefined) replace(jsonSchema, { $ref: `#/components/schemas/${name}` });
      else if (note?.['type'] !== undefined || note?.['pattern'] !== undefined) {
        replace(jsonSchema, { type: jsonSchema.type, ...note });
      } else Object.assign(jsonSchema, note);
    },
  });
  return withBounds(json);
}

/** Gives each int64 its bounds; zod writes no bigints. */
function withBounds(json: JsonObject): JsonObject {
  const bounds = json['format'] === 'int64' ? { minimum: int64Min, maximum: int64Max } : {};
  const members = Object.entries(json).map(([name, member]) => [
    name,
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? withBounds(member as JsonObject)
      : member,
  ]);
  return { ...bounds, ...Object.fromEntries(members) };
}

function replace(target: object, source: object): void {
  for (const key of Object.keys(target)) delete (target as JsonObject)[key];
  Object.assign(target, source);
}

/** The named schemas, for `components.schemas`. */
export function componentSchemas(): JsonObject {
  return Object.fromEntries([...components].map(([schema, name]) => [name, toJsonSchema(schema)]));
}

const parameterNotes: Record<string, { description: string; example?: unknown }> = {
  limit: { description: 'The greatest number of animals to return.', example: 50 },
  status: { description: 'Only animals with this status.', example: PetStatus.enum.available },
  cursor: {
    description:
      'Where the page starts: the opaque cursor of the `Link` header of the page before. Follow that link instead of building one.',
  },
};

/** The parameters of a list's query. */
export function queryParameters(): JsonObject[] {
  // What the service works with says the types, what a client sends says what may be left out.
  const { properties } = toJsonSchema(ListPetsQuery, 'output') as { properties: JsonObject };
  const { required = [] } = toJsonSchema(ListPetsQuery) as { required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...parameterNotes[name],
    schema,
  }));
}

/** The parameters of an animal's path. */
export function pathParameters(): JsonObject[] {
  return Object.keys(PetPath.shape).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: 'The `id` of the animal.',
    example: mia.id,
    schema: withBounds(int64),
  }));
}
