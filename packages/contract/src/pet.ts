import { z } from 'zod';
import type { Int64 } from './int64.ts';
import { Int64Schema } from './int64-schema.ts';
import { Name, NewName } from './name-schema.ts';
import { pageLimit } from './page-limit.ts';
import { petStatuses } from './pet-status.ts';

// Each type is written beside its schema and not inferred from it. The client publishes these
// types, and its declarations may not mention zod, so its build removes everything marked internal.
// `satisfies` and the type tests compare each pair in both directions.

/** The largest id that the service assigns: 2^53 − 1, so that every id is an exact `number`. */
export const maxPetId: number = Number.MAX_SAFE_INTEGER;

/** The availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** @internal */
export const PetStatus = z
  .enum(petStatuses, { error: `expected one of ${petStatuses.join(', ')}` })
  .meta({
    id: 'PetStatus',
    description: 'The availability of an animal.',
  }) satisfies z.ZodType<PetStatus>;

/**
 * The status of an animal in a response. Values may be added within v1, and a client must not fail
 * on them. The OpenAPI document lists the known values, and any other string.
 */
const ReceivedStatus = z.union([
  PetStatus,
  z.custom<string & {}>((value) => typeof value === 'string'),
]);

/** An animal in the catalogue. */
export interface Pet {
  /**
   * The id, which the service assigns. It is at most 2^53 − 1, so it is always an exact `number`.
   */
  id: number;
  /** The animal's name: 1 to 255 characters. */
  name: string;
  /**
   * The category of the animal: any 64-bit integer. Beyond 2^53 − 1 it is a `bigint`, on which
   * `JSON.stringify` throws: use `stringifyJson`.
   */
  categoryId: Int64;
  /**
   * The availability of the animal. A newer service may send values that this version does not
   * list, so give each `switch` a `default`.
   */
  status?: PetStatus | (string & {});
}

/** @internal The animal that examples show. */
export const examplePet = { id: 1, name: 'Mia', categoryId: 3, status: 'available' } as const;

/** @internal */
export const Pet = z
  .object({
    id: z
      .int()
      .min(1)
      .meta({
        format: 'int64',
        description:
          'Identifies the animal. The service assigns it. It is at most 2^53 − 1, so that a double represents it exactly.',
        examples: [examplePet.id],
      }),
    name: Name.meta({
      description: "The animal's name: any characters but control characters, in valid Unicode.",
      examples: [examplePet.name],
    }),
    categoryId: Int64Schema.meta({
      description:
        'Identifies the category of the animal: any 64-bit integer. Read it without rounding, because a double cannot represent every 64-bit integer.',
      examples: [examplePet.categoryId],
    }),
    status: ReceivedStatus.exactOptional().describe(
      'The availability of the animal. A new animal without a status is `available`. The service always sends the status.',
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
  // The schema describes the length and does not check it: a client must accept longer pages of a
  // later service.
  maxItems: pageLimit.max,
  description: 'A page of the catalogue, by `id` ascending.',
  examples: [[examplePet]],
}) satisfies z.ZodType<Pets>;

/** What a client sends to add an animal. */
export interface NewPet {
  /**
   * The animal's name: 1 to 255 characters, without control characters, invisible characters and
   * tokens.
   */
  name: string;
  /** The category of the animal: any 64-bit integer. */
  categoryId: Int64;
  /**
   * The availability of the animal.
   *
   * @default 'available'
   */
  status?: PetStatus | undefined;
}

/** @internal Unknown members, including an `id`, are dropped, so they never reach a handler. */
export const NewPet = z
  .object(
    {
      name: NewName.meta({
        description:
          "The animal's name: any characters but control characters, in valid Unicode. At least one character is visible, and none is invisible, such as a zero-width space or a direction control (Unicode TR 36). Joiners, variation selectors and the marks LRM, RLM and ALM are allowed. The name contains no token.",
        examples: [examplePet.name],
      }),
      categoryId: Pet.shape.categoryId,
      // The schema has no keyword `default`, because generators treat a member with a default as
      // always present.
      status: PetStatus.optional().describe(
        'The availability of the animal: `available` if it is missing.',
      ),
    },
    { error: 'expected a JSON object with name and categoryId' },
  )
  .meta({
    id: 'NewPet',
    description:
      'The request body that adds an animal: a Pet without its `id`. Members that are not listed here are ignored. But a member whose name looks like a listed one, such as `Status` or `category_id`, is refused.',
    examples: [{ name: 'Mia', categoryId: 3, status: 'available' }],
  }) satisfies z.ZodType<NewPet>;
