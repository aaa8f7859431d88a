import { z } from 'zod';
import type { Int64 } from './int64.ts';
import { Int64Schema } from './int64-schema.ts';
import { Name, NewName } from './name-schema.ts';
import { pageLimit } from './page-limit.ts';
import { petStatuses } from './pet-status.ts';

// Each type is written beside its schema instead of inferred from it, because the client publishes
// these types and its declarations may not name zod: its build strips what is marked internal.
// `satisfies` and the type tests compare each pair in both directions.

/** The greatest id that the service assigns: 2^53 − 1, so that every id is an exact `number`. */
export const maxPetId: number = Number.MAX_SAFE_INTEGER;

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** @internal */
export const PetStatus = z
  .enum(petStatuses, { error: `expected one of ${petStatuses.join(', ')}` })
  .meta({
    id: 'PetStatus',
    description: 'Availability of an animal.',
  }) satisfies z.ZodType<PetStatus>;

/**
 * Of an animal that the service sends: values may be added within v1, and a client of today must not
 * fail on them. The OpenAPI document lists those that are known, and any other text.
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
  /** The animal's name: 1 to 255 characters, none of them a control character or invisible. It holds no token. */
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
          "The animal's name: any characters but control characters, in valid Unicode. At least one can be seen, and none is invisible, such as a zero-width space or a control of the direction (Unicode TR 36); joiners, variation selectors and the marks LRM, RLM and ALM are fine. It holds no token.",
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
      'What to send to add an animal: a Pet without its `id`. Members that are not listed here are ignored, but those whose name looks like a listed one, such as `Status` or `category_id`, are refused.',
    examples: [{ name: 'Mia', categoryId: 3, status: 'available' }],
  }) satisfies z.ZodType<NewPet>;
