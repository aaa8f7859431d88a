import { z } from 'zod';
import { type Int64, int64Max, int64Min, parseInt64 } from './int64.ts';
import { Name } from './name.ts';
import { pageLimit } from './page-limit.ts';

// Each type stands beside its schema, and not inferred from it, for one reason: these types are
// published in the client's declarations, which may not name zod (its build strips what is internal).
// `satisfies` and the type tests hold each pair together, in both directions.

/** The greatest id that the service assigns: 2^53 − 1, so that every id is an exact `number`. */
export const maxPetId: number = Number.MAX_SAFE_INTEGER;

const int64 = { error: 'expected a 64-bit integer' };

const Int64Schema = z.union(
  [z.int(int64), z.bigint().min(int64Min, int64).max(int64Max, int64)],
  int64,
);

/** Where an animal stands in its sale. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** @internal */
export const PetStatus = z.enum(['available', 'pending', 'sold'], {
  error: 'expected one of available, pending, sold',
}) satisfies z.ZodType<PetStatus>;

/** An animal in the catalogue. */
export interface Pet {
  /** Assigned by the service; at most 2^53 − 1, so it is always an exact `number`. */
  id: number;
  /** The animal's name: 1 to 255 characters. */
  name: string;
  /** The category that the animal belongs to: any 64-bit integer. */
  categoryId: Int64;
  /** Availability of the animal. */
  status?: PetStatus;
}

/** @internal */
export const Pet = z.object({
  id: z.int().min(1),
  name: Name,
  categoryId: Int64Schema,
  status: PetStatus.exactOptional(),
}) satisfies z.ZodType<Pet>;

/** A page of the catalogue, by `id` ascending. */
export type Pets = Pet[];

/** @internal */
export const Pets = z.array(Pet) satisfies z.ZodType<Pets>;

/** What a client sends to add an animal. */
export interface NewPet {
  /** The animal's name: 1 to 255 characters, without control characters. */
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

// Unknown members, an `id` among them, are dropped: they never reach a handler.
/** @internal */
export const NewPet = z.object(
  {
    name: Name,
    categoryId: Pet.shape.categoryId,
    status: PetStatus.optional(),
  },
  { error: 'expected a JSON object with name and categoryId' },
) satisfies z.ZodType<NewPet>;

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
  /** Where the page starts: the opaque `cursor` of the last answer's `Link: <…>; rel="next"`. */
  cursor?: string | undefined;
}

const limit = { error: `expected one integer from ${pageLimit.min} to ${pageLimit.max}` };

/** @internal `z.coerce.number()` would take '', '0x10', '1e1' and ' 5 ' for numbers. */
export const PageLimit = z.codec(
  z.string(limit).regex(/^[1-9]\d{0,2}$/, limit),
  z.int(limit).min(pageLimit.min, limit).max(pageLimit.max, limit),
  { decode: Number, encode: String },
);

/** @internal */
export const ListPetsQuery = z.object({
  limit: PageLimit.default(pageLimit.default),
  status: PetStatus.optional(),
  cursor: z.string({ error: 'expected one cursor from a Link header' }).optional(),
});

export const PetPath = z.object({
  petId: z.codec(z.string(int64), Int64Schema, {
    decode: (text, context) => {
      const id = parseInt64(text);
      if (id !== undefined) return id;
      context.issues.push({ code: 'custom', input: text, message: int64.error });
      return z.NEVER;
    },
    encode: String,
  }),
});
