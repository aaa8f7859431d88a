import { z } from 'zod';
import type { Int64 } from './int64.ts';
import { Int64Schema } from './int64-schema.ts';
import { Name, NewName } from './name-schema.ts';
import { pageLimit } from './page-limit-bounds.ts';
import { petStatuses } from './pet-status.ts';

// Each type is written next to its schema, and is not inferred from the schema. The client
// publishes these types, and its declarations must not mention zod. So the client's build removes
// everything that is marked as internal.
//
// `satisfies` and the type tests check that each type equals its schema.

/**
 * The largest id that the service assigns. It is 2^53 − 1, so that a `number` represents every id
 * exactly.
 */
export const maxPetId: number = Number.MAX_SAFE_INTEGER;

/** The availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** @internal The schema of the availability of an animal. */
export const PetStatus = z
  .enum(petStatuses, { error: `expected one of ${petStatuses.join(', ')}` })
  .meta({
    id: 'PetStatus',
    description: 'The availability of an animal.',
  }) satisfies z.ZodType<PetStatus>;

/**
 * The schema of an animal's status in a response. New statuses can be added within v1, and clients
 * must accept them. The OpenAPI document lists the known statuses, and allows any other string.
 */
const ReceivedStatus = z.union([
  PetStatus,
  z.custom<string & {}>((value) => typeof value === 'string'),
]);

/** An animal in the catalogue. */
export interface Pet {
  /**
   * The id of the animal, which the service assigns. It is at most 2^53 − 1, so it is always an
   * exact `number`.
   */
  id: number;
  /** The animal's name: 1 to 255 characters. */
  name: string;
  /**
   * The category of the animal: any 64-bit integer. Beyond 2^53 − 1 it is a `bigint`.
   * `JSON.stringify` throws on a `bigint`, so use `stringifyJson`.
   */
  categoryId: Int64;
  /**
   * The availability of the animal. A newer version of the service may send values that this
   * version does not know, so give each `switch` a `default`.
   */
  status?: PetStatus | (string & {});
}

/** @internal The animal in the examples of the API reference. */
export const examplePet = { id: 1, name: 'Mia', categoryId: 3, status: 'available' } as const;

/** @internal The schema of an animal in a response. */
export const Pet = z
  .object({
    id: z
      .int()
      .min(1)
      .meta({
        format: 'int64',
        description:
          'The id that the service assigns to the animal. It is at most 2^53 − 1, so that a double represents it exactly.',
        examples: [examplePet.id],
      }),
    name: Name.meta({
      description: "The animal's name: any characters except control characters, in valid Unicode.",
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

/** A page of the catalogue, ordered by `id`. */
export type Pets = Pet[];

/** @internal The schema of a page of the catalogue. */
export const Pets = z.array(Pet).meta({
  id: 'Pets',
  // `maxItems` documents the length of a page, but the schema accepts longer pages, because a later
  // version of the service may send them.
  maxItems: pageLimit.max,
  description: 'A page of the catalogue, ordered by `id`.',
  examples: [[examplePet]],
}) satisfies z.ZodType<Pets>;

/** The body of a request that adds an animal. */
export interface NewPet {
  /**
   * The animal's name: 1 to 255 characters. It must not contain control characters, invisible
   * characters, or an API key or another token of the service.
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

/**
 * @internal The schema of a new animal. It removes unknown properties, including an `id`.
 *   Otherwise, a handler might store them.
 */
export const NewPet = z
  .object(
    {
      name: NewName.meta({
        description:
          "The animal's name: any characters except control characters, in valid Unicode. At least one character is visible, and none is invisible, such as a zero-width space or a direction control (Unicode TR 36). Joiners, variation selectors and the marks LRM, RLM and ALM are allowed. The name contains no API key and no other token of the service.",
        examples: [examplePet.name],
      }),
      categoryId: Pet.shape.categoryId,
      // The schema does not use the keyword `default`. Code generators treat a property with a
      // default as always present, so callers would have to send the status.
      status: PetStatus.optional().describe(
        'The availability of the animal. The default is `available`.',
      ),
    },
    { error: 'expected a JSON object with name and categoryId' },
  )
  .meta({
    id: 'NewPet',
    description:
      'The request body that adds an animal: a Pet without its `id`. Unknown properties are ignored. But a property whose name looks like a known one, such as `Status` or `category_id`, is refused.',
    examples: [{ name: 'Mia', categoryId: 3, status: 'available' }],
  }) satisfies z.ZodType<NewPet>;
