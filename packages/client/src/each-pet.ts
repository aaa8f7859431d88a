import type { ListPetsQuery, Pet } from '@animal-store/contract';
import { checkObject } from './check-object.ts';
import type { CallOptions } from './request.ts';

/**
 * One page of the list. It is not the whole list, so you cannot loop over it: loop over `pets`, or
 * over `eachPet()` for all pages.
 */
export interface Page {
  /** The animals of this page, by `id` ascending. */
  pets: Pet[];
  /** The `cursor` of the next page, or `undefined` on the last page. */
  nextCursor: string | undefined;
  /**
   * Where to continue later: a `cursor` for calls with the same `status` and `categoryId`. On the
   * last page, it leads to animals that were added since. Only this client understands it.
   */
  resumeCursor: string;
}

/** The animals of a list, however many pages it has. Each loop starts again at the beginning. */
export interface PetList extends AsyncIterable<Pet> {
  /**
   * Collects the animals.
   *
   * @throws {TypeError} if `max` is not a number from 0.
   * @example
   * ```ts
   * const first10 = await store.eachPet({ status: 'sold' }).toArray({ max: 10 });
   * ```
   */
  toArray(options?: ToArrayOptions): Promise<Pet[]>;
  /**
   * Iterates over the pages. Each page is one request, which is sent when the loop needs it.
   * `store.pages()` returns the same.
   *
   * @example
   * ```ts
   * for await (const { pets } of store.eachPet().pages()) console.log(pets.length);
   * ```
   */
  pages(): AsyncIterable<Page>;
}

/** Options of {@link PetList.toArray}. */
export interface ToArrayOptions {
  /**
   * The largest number of animals to collect.
   *
   * @default Infinity
   */
  max?: number | undefined;
}

/** The largest `limit` that the service accepts. A test compares it with the contract's. */
export const maxPageLength = 100;

type GetPage = (query: ListPetsQuery, options: CallOptions | undefined) => Promise<Page>;

export function createPetList(
  getPage: GetPage,
  query: ListPetsQuery,
  options: CallOptions | undefined,
): PetList {
  async function* pages(limit = maxPageLength) {
    let cursor = query?.cursor;
    do {
      const page = await getPage(
        // A list of ids has no pages. `listPets` refuses an invalid query.
        query && { ...query, limit: query.limit ?? (query.ids ? undefined : limit), cursor },
        options,
      );
      yield page;
      cursor = page.nextCursor;
    } while (cursor);
  }

  // Each page costs one request of the quota, so pages are as long as possible.
  async function* eachPet(limit?: number) {
    for await (const { pets } of pages(limit)) {
      for (const pet of pets) {
        // This sends nothing: it throws the AbortError.
        if (options?.signal?.aborted) await getPage(query, options);
        yield pet;
      }
    }
  }

  return {
    pages,

    [Symbol.asyncIterator]: eachPet,

    async toArray(options = {}) {
      const { max = Number.POSITIVE_INFINITY } = checkObject('options', options);
      if (!(max >= 0)) throw new TypeError('max: expected a number from 0');
      const all: Pet[] = [];
      if (max >= 1) {
        for await (const pet of eachPet(Math.min(Math.floor(max), maxPageLength))) {
          if (all.push(pet) > max - 1) break;
        }
      }
      return all;
    },
  };
}
