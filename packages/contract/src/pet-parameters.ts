import { z } from 'zod';
import { type Int64, parseInt64 } from './int64.ts';
import { Int64Parameter, Int64Schema } from './int64-schema.ts';
import { pageLimit } from './page-limit.ts';
import { PageCursor, PageLimit } from './page-parameters.ts';
import { examplePet, PetStatus } from './pet.ts';

/** The filters and the page of a list of animals. */
export interface ListPetsQuery {
  /**
   * The largest number of animals to return, 1 to 100.
   *
   * @default 20
   */
  limit?: number | undefined;
  /** Only animals with this status. */
  status?: PetStatus | undefined;
  /** Only animals of this category. */
  categoryId?: Int64 | undefined;
  /** Where the page starts: the opaque `cursor` of the last response's `Link: <…>; rel="next"`. */
  cursor?: string | undefined;
  /**
   * Only the animals with these ids, 1 to 100: by `id` ascending, each once, unknown ids left out.
   * The response is complete, so neither `limit` nor `cursor` may come with `ids`. In a query
   * string, commas separate the ids, or the parameter is repeated.
   */
  ids?: readonly Int64[] | undefined;
}

/** The bounds of a list of ids. */
const idCount = { min: 1, max: 100 } as const;

const ids = {
  error: `expected ${idCount.min} to ${idCount.max} 64-bit integers, as in ids=5,11 or ids=5&ids=11`,
};

/**
 * The service reads a repeated parameter as a list of strings. The type has no list, because
 * ts-rest's clients write a list as `ids[0]=…`, which the service refuses. So their callers pass
 * one string with commas.
 */
const GivenIds = z.union([z.string(ids), z.array(z.string(ids))], ids) as unknown as z.ZodType<
  string,
  string
>;

const PetIds = z.codec(GivenIds, z.array(Int64Schema).min(idCount.min, ids).max(idCount.max, ids), {
  decode(value, context) {
    const given = String(value).split(',');
    // The ids are counted first, so that a text of 16 kB costs no more than one with 100 numbers.
    const numbers = given.length > idCount.max ? [] : given.map(parseInt64);
    if (numbers.length > 0 && numbers.every((number) => number !== undefined)) return numbers;
    context.issues.push({ code: 'custom', input: value, message: ids.error });
    return z.NEVER;
  },
  encode: (numbers) => numbers.join(),
});

/** @internal */
export const ListPetsQuery = z
  .object({
    // The service fills in the default, because only then can it detect a limit in the request.
    limit: PageLimit.optional().meta({
      default: pageLimit.default,
      description: 'The largest number of animals to return.',
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
        'Only the animals with these ids, 1 to 100, in a repeated parameter or separated by commas: by `id` ascending, each once, unknown ids left out. The response is complete, so `limit` and `cursor` are refused beside `ids`. `status` and `categoryId` filter it.',
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
