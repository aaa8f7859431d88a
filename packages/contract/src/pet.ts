import { z } from 'zod';
import { type Int64, int64Max, int64Min, parseInt64 } from './int64.ts';
import { Name, NewName } from './name-schema.ts';
import { pageLimit } from './page-limit.ts';

// Each type is written beside its schema instead of inferred from it, because the client publishes
// these types and its declarations may not name zod: its build strips what is marked internal.
// `satisfies` and the type tests compare each pair in both directions.

/** The greatest id that the service assigns: 2^53 − 1, so that every id is an exact `number`. */
export const maxPetId: number = Number.MAX_SAFE_INTEGER;

const int64 = { error: 'expected a 64-bit integer' };

/** `format: int64` makes the OpenAPI document one integer of what is a union in TypeScript. */
const Int64Schema = z
  .union([z.int(int64), z.bigint().min(int64Min, int64).max(int64Max, int64)], int64)
  .meta({ type: 'integer', format: 'int64' });

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** @internal */
export const PetStatus = z
  .enum(['available', 'pending', 'sold'], { error: 'expected one of available, pending, sold' })
  .meta({
    id: 'PetStatus',
    description: 'Availability of an animal.',
  }) satisfies z.ZodType<PetStatus>;

/**
 * Of an animal that the service sends: values may be added within v1, and a client of today must not
 * fail on them. The OpenAPI document lists those that are known.
 */
const ReceivedStatus = z.union([
  PetStatus,
  z.custom<string & {}>((value) => typeof value === 'string'),
]);

/** An animal in the catalogue. */
export interface Pet {
  /** Assigned by the service; at most 2^53 − 1, so it is always an exact `number`. */
  id: number;
  /** The animal's name: 1 to 255 characters. */
  name: string;
  /**
   * The category that the animal belongs to: any 64-bit integer. Beyond 2^53 − 1 it is a `bigint`, on
   * which `JSON.stringify` throws: use `stringifyJson`.
   */
  categoryId: Int64;
  /**
   * Availability of the animal. A newer service may send values that this version does not list, so
   * give a `switch` a `default`.
   */
  status?: PetStatus | (string & {});
}

/** The animal that examples show. */
const examplePet = { id: 1, name: 'Mia', categoryId: 3, status: 'available' } as const;

/** @internal */
export const Pet = z
  .object({
    id: z
      .int()
      .min(1)
      .meta({
        format: 'int64',
        description:
          'Identifies the animal. Assigned by the service on creation, and at most 2^53 − 1, so that a double holds it exactly.',
        examples: [examplePet.id],
      }),
    name: Name.meta({
      description: "The animal's name: any characters but control characters, in valid Unicode.",
      examples: [examplePet.name],
    }),
    categoryId: Int64Schema.meta({
      description:
        'Identifies the category that the animal belongs to: any 64-bit integer. Read it without rounding: a double does not hold every 64-bit integer.',
      examples: [examplePet.categoryId],
    }),
    status: ReceivedStatus.exactOptional().describe(
      'Availability of the animal. A new animal without a status is `available`; the service always sends it.',
    ),
  })
  .meta({
    id: 'Pet',
    description: 'An animal in the catalogue.',
    examples: [examplePet],
  }) satisfies z.ZodType<Pet>;

/** A page of the catalogue, by `id` ascending. */
export type Pets = Pet[];

/** @internal */
export const Pets = z.array(Pet).meta({
  id: 'Pets',
  // Described, not checked: a client of today must accept longer pages of tomorrow.
  maxItems: pageLimit.max,
  description: 'A page of the catalogue, by `id` ascending.',
  examples: [[examplePet]],
}) satisfies z.ZodType<Pets>;

/** What a client sends to add an animal. */
export interface NewPet {
  /** The animal's name: 1 to 255 characters, none of them a control character or invisible. */
  name: string;
  /** The category that the animal belongs to: any 64-bit integer. */
  categoryId: Int64;
  /**
   * Availability of the animal.
   *
   * @default 'available'
   */
  status?: PetStatus | undefined;
}

/** @internal Unknown members, an `id` among them, are dropped: they never reach a handler. */
export const NewPet = z
  .object(
    {
      name: NewName.meta({
        description:
          "The animal's name: any characters but control characters, in valid Unicode. At least one can be seen, and none is invisible, such as a zero-width space or a control of the direction (Unicode TR 36); joiners, variation selectors and the marks LRM, RLM and ALM are fine.",
        examples: [examplePet.name],
      }),
      categoryId: Pet.shape.categoryId,
      // Without the keyword `default`: generators take a member that has one for always there.
      status: PetStatus.optional().describe(
        'Availability of the animal: `available` if it is left out.',
      ),
    },
    { error: 'expected a JSON object with name and categoryId' },
  )
  .meta({
    id: 'NewPet',
    description:
      'What to send to add an animal: a Pet without its `id`. Members that are not listed here are ignored.',
    examples: [{ name: 'Mia', categoryId: 3, status: 'available' }],
  }) satisfies z.ZodType<NewPet>;

/** What narrows a list of animals. */
export interface ListPetsQuery {
  /**
   * The greatest number of animals to return, 1 to 100.
   *
   * @default 20
   */
  limit?: number | undefined;
  /** Only animals with this status. */
  status?: PetStatus | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Where the page starts: the opaque `cursor` of the last answer's `Link: <…>; rel="next"`. */
  cursor?: string | undefined;
  /**
   * Only the animals with these ids, 1 to 100: by `id` ascending, each once, unknown ids left out. The
   * answer is whole, so neither `limit` nor `cursor` may come with it. In a query string they are
   * separated by commas.
   */
  ids?: readonly Int64[] | undefined;
}

const limit = { error: `expected one integer from ${pageLimit.min} to ${pageLimit.max}` };

/**
 * @internal A number for those who call, a text for the service that reads a query. `z.coerce.number()`
 * would read '', '0x10', '1e1' and ' 5 ' as numbers.
 */
export const PageLimit = z.codec(
  z.union([z.string(limit).regex(/^[1-9]\d{0,2}$/, limit), z.int(limit)], limit),
  z.int(limit).min(pageLimit.min, limit).max(pageLimit.max, limit),
  { decode: Number, encode: String },
);

/** @internal */
export const PageCursor = z
  .string({ error: 'expected one cursor from a Link header' })
  .describe(
    'Where the page starts: the opaque cursor of the `Link` header of the page before. Follow that link instead of building one.',
  );

/**
 * A number for those who call, a text for the service that reads a path or a query. The text comes first,
 * because a union tries its members in their order, and the service reads one with each request.
 */
const Int64Parameter = z.codec(z.union([z.string(int64), Int64Schema], int64), Int64Schema, {
  decode: (value, context) => {
    const number = typeof value === 'string' ? parseInt64(value) : value;
    if (number !== undefined) return number;
    context.issues.push({ code: 'custom', input: value, message: int64.error });
    return z.NEVER;
  },
  encode: String,
});

/** Bounds of a list of ids. */
const idCount = { min: 1, max: 100 } as const;

const ids = {
  error: `expected one list of ${idCount.min} to ${idCount.max} 64-bit integers, separated by commas`,
};

/**
 * A text alone, also for those who call: ts-rest would write an array as `ids[0]=…`, which is another
 * parameter.
 */
const PetIds = z.codec(
  z.string(ids),
  z.array(Int64Schema).min(idCount.min, ids).max(idCount.max, ids),
  {
    decode(text, context) {
      const given = text.split(',');
      // Counted first, so that a text of 16 kB costs no more than one of 100 numbers.
      const numbers = given.length > idCount.max ? [] : given.map(parseInt64);
      if (numbers.length > 0 && numbers.every((number) => number !== undefined)) return numbers;
      context.issues.push({ code: 'custom', input: text, message: ids.error });
      return z.NEVER;
    },
    encode: (numbers) => numbers.join(),
  },
);

/** @internal */
export const ListPetsQuery = z
  .object({
    // The service fills in the default: only so can it tell a limit that was sent.
    limit: PageLimit.optional().meta({
      default: pageLimit.default,
      description: 'The greatest number of animals to return.',
      examples: [50],
    }),
    status: PetStatus.optional().meta({
      description: 'Only animals with this status.',
      examples: [examplePet.status],
    }),
    cursor: PageCursor.optional(),
    categoryId: Int64Parameter.optional().meta({
      description: 'Only animals of this category.',
      examples: [examplePet.categoryId],
    }),
    ids: PetIds.optional().meta({
      description:
        'Only the animals with these ids, by `id` ascending: each once, unknown ids left out. The answer is whole, so `limit` and `cursor` are refused with it; `status` and `categoryId` narrow it.',
      examples: [[5, 11]],
    }),
  })
  .superRefine(({ ids, limit, cursor }, context) => {
    if (ids === undefined) return;
    for (const [name, value] of Object.entries({ limit, cursor })) {
      if (value === undefined) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'expected none beside ids' });
    }
  });

/** @internal */
export const PetPath = z.object({
  petId: Int64Parameter.meta({
    description: 'The `id` of the animal.',
    examples: [examplePet.id],
  }),
});
