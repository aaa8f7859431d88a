import type { ListPetsQuery, Pet } from '@animal-store/contract';
import { checkObject } from './check-object.ts';
import type { CallOptions } from './request.ts';

/**
 * One page of the list. A page is not iterable, so that nobody mistakes it for the whole list. Loop
 * over `pets`, or over `eachPet()` for all pages.
 */
export interface Page {
  /** The animals of this page, ordered by `id`. */
  pets: Pet[];
  /** The `cursor` of the next page, or `undefined` on the last page. */
  nextCursor: string | undefined;
  /**
   * The `cursor` that continues after this page later, in a call with the same `status` and
   * `categoryId`. The cursor of the last page leads to animals that are added later. Only this
   * client understands the cursor.
   */
  resumeCursor: string;
}

/** The animals of a list, from all its pages. Each loop starts again at the first page. */
export interface PetList extends AsyncIterable<Pet> {
  /**
   * Collects the animals into an array.
   *
   * @throws {TypeError} if `max` is negative or not a number.
   * @example
   * ```ts
   * const first10 = await store.eachPet({ status: 'sold' }).toArray({ max: 10 });
   * ```
   */
  toArray(options?: ToArrayOptions): Promise<Pet[]>;
  /**
   * Iterates over the pages. The client requests a page when the loop needs it. `store.pages()`
   * returns the same pages.
   *
   * @example
   * ```ts
   * for await (const { pets } of store.eachPet().pages()) console.log(pets.length);
   * ```
   */
  pages(): AsyncIterable<Page>;
}

/** The options of {@link PetList.toArray}. */
export interface ToArrayOptions {
  /**
   * The largest number of animals to collect.
   *
   * @default Infinity
   */
  max?: number | undefined;
}

/** The largest `limit` that the service accepts. A test compares the number with the contract. */
export const maxPageLength = 100;

type GetPage = (query: ListPetsQuery, options: CallOptions | undefined) => Promise<Page>;

export function createPetList(
  getPage: GetPage,
  query: ListPetsQuery,
  options: CallOptions | undefined,
): PetList {
  async function* pages(limit = maxPageLength) {
    let cursor = query?.cursor;
    let lastId: Pet['id'] = 0;
    do {
      const page = await getPage(
        // If the query has `ids`, one page contains all the animals, so the query needs no `limit`.
        // An invalid query is passed on unchanged, because `listPets` refuses it.
        query && { ...query, limit: query.limit ?? (query.ids ? undefined : limit), cursor },
        options,
      );
      yield page;
      lastId = page.pets.at(-1)?.id ?? lastId;
      cursor = page.nextCursor && `>${lastId}~${page.nextCursor}`;
    } while (cursor);
  }

  // Each page costs one request, so a page has as many animals as the service allows.
  async function* eachPet(limit?: number) {
    for await (const { pets } of pages(limit)) {
      for (const pet of pets) {
        // If the signal is aborted, this call sends no request, and rejects with an AbortError. The
        // error ends the loop.
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
      if (!(max >= 0)) throw new TypeError('max: expected 0 or a positive number');
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
