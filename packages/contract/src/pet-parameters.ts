import { z } from 'zod';
import { type Int64, parseInt64 } from './int64.ts';
import { Int64Parameter, Int64Schema } from './int64-schema.ts';
import { pageLimit } from './page-limit-bounds.ts';
import { PageCursor, PageLimit } from './page-parameters.ts';
import { examplePet, PetStatus } from './pet.ts';

/** The query of a list of animals: its filters and its page. */
export interface ListPetsQuery {
  /**
   * The maximum number of animals to return, from 1 to 100.
   *
   * @default 20
   */
  limit?: number | undefined;
  /** Lists only animals with this status. */
  status?: PetStatus | undefined;
  /** Lists only animals of this category. */
  categoryId?: Int64 | undefined;
  /** The opaque cursor of the page, from `Link: <…>; rel="next"` of the previous response. */
  cursor?: string | undefined;
  /**
   * Lists only the animals with these ids, 1 to 100. They are ordered by `id`, each animal appears
   * once, and unknown ids are ignored.
   *
   * The list is complete, so `limit` and `cursor` are not allowed together with `ids`. In a query
   * string, separate the ids with commas, or repeat the parameter.
   */
  ids?: readonly Int64[] | undefined;
}

/** The minimum and maximum number of ids in a list. */
const idCount = { min: 1, max: 100 } as const;

const ids = {
  error: `expected ${idCount.min} to ${idCount.max} 64-bit integers, as in ids=5,11 or ids=5&ids=11`,
};

/**
 * The schema of the ids as they are sent. The service also reads a repeated parameter, as a list of
 * strings.
 *
 * The type contains no list, because ts-rest clients would write a list as `ids[0]=…`, which the
 * service refuses. Users of a ts-rest client pass one string with commas.
 */
const GivenIds = z.union([z.string(ids), z.array(z.string(ids))], ids) as unknown as z.ZodType<
  string,
  string
>;

const PetIds = z.codec(GivenIds, z.array(Int64Schema).min(idCount.min, ids).max(idCount.max, ids), {
  decode(value, context) {
    const texts = String(value).split(',');
    // The ids are counted before they are parsed, so that a text of 16 kB costs no more time than
    // 100 ids.
    const numbers = texts.length > idCount.max ? [] : texts.map(parseInt64);
    if (numbers.length > 0 && numbers.every((number) => number !== undefined)) return numbers;
    context.issues.push({ code: 'custom', input: value, message: ids.error });
    return z.NEVER;
  },
  encode: (numbers) => numbers.join(),
});

/**
 * @internal The schema of the query that lists animals.
 */
export const ListPetsQuery = z
  .object({
    // The schema does not set the default. The service sets it later, because it must know whether
    // the request contained a limit.
    limit: PageLimit.optional().meta({
      default: pageLimit.default,
      description: 'The largest number of animals to return.',
      examples: [50],
    }),
    status: PetStatus.optional().meta({
      description: 'Lists only animals with this status.',
      examples: [examplePet.status],
    }),
    cursor: PageCursor.optional(),
    categoryId: Int64Parameter.optional().meta({
      description: 'Lists only animals of this category.',
      examples: [examplePet.categoryId],
    }),
    ids: PetIds.optional().meta({
      description:
        'Lists only the animals with these 1 to 100 ids, separated by commas or in a repeated parameter. The animals are ordered by `id`, each appears once, and unknown ids are ignored. The list is complete, so `limit` and `cursor` are refused together with `ids`. `status` and `categoryId` also apply.',
      examples: [[5, 11]],
    }),
  })
  .superRefine(({ ids, limit, cursor }, context) => {
    if (ids === undefined) return;
    for (const [name, value] of Object.entries({ limit, cursor })) {
      if (value === undefined) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'expected no value together with ids',
      });
    }
  });

/** @internal The schema of an animal's id in a path. */
export const PetPath = z.object({
  petId: Int64Parameter.meta({
    description: 'The `id` of the animal.',
    examples: [examplePet.id],
  }),
});
