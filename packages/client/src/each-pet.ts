import type { ListPetsQuery } from '@animal-store/contract';
import { findLink } from './find-link.ts';
import type { HttpHeaders } from './http-response.ts';
import type { Pet } from './received-pet.ts';
import type { CallOptions } from './request.ts';

/**
 * One page of the list. It is not the list, so it cannot be looped over: loop over `pets`, or over
 * `eachPet()` for all pages.
 */
export interface Page {
  /** The animals of this page, by `id` ascending. */
  pets: Pet[];
  /** The `cursor` of the page that follows, or `undefined` on the last page. */
  nextCursor: string | undefined;
}

/** The animals of a list, however many pages it has. Each loop over it starts again. */
export interface PetList extends AsyncIterable<Pet> {
  /**
   * Collects the animals.
   *
   * @throws {TypeError} if `max` is no number from 0.
   * @example
   * ```ts
   * const first10 = await store.eachPet({ status: 'sold' }).toArray({ max: 10 });
   * ```
   */
  toArray(options?: ToArrayOptions): Promise<Pet[]>;
  /**
   * Gives page after page; each is one request, sent when the loop asks for it. A job that stores
   * `nextCursor` can resume there.
   *
   * @example
   * ```ts
   * for await (const { pets, nextCursor } of store.eachPet({ cursor }).pages()) {
   *   await save(pets, nextCursor);
   * }
   * ```
   */
  pages(): AsyncIterable<Page>;
}

/** Options of {@link PetList.toArray}. */
export interface ToArrayOptions {
  /**
   * The greatest number of animals to collect.
   *
   * @default Infinity
   */
  max?: number | undefined;
}

/** The greatest `limit` that the service accepts: a test compares it with the contract's. */
export const maxPageLength = 100;

type GetPage = (query: ListPetsQuery, options: CallOptions | undefined) => Promise<Page>;

export function createPetList(
  getPage: GetPage,
  query: ListPetsQuery,
  options: CallOptions | undefined,
): PetList {
  async function* pages(limit: number) {
    let { cursor } = query;
    do {
      const page = await getPage({ ...query, limit: query.limit ?? limit, cursor }, options);
      yield page;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  // Each page costs one request of the quota, so pages are as long as they can be.
  async function* eachPet(limit = maxPageLength) {
    for await (const { pets } of pages(limit)) {
      for (const pet of pets) {
        // Sends nothing: it throws the AbortError.
        if (options?.signal?.aborted) await getPage(query, options);
        yield pet;
      }
    }
  }

  return {
    pages: () => pages(maxPageLength),

    [Symbol.asyncIterator]: eachPet,

    async toArray({ max = Number.POSITIVE_INFINITY } = {}) {
      if (!(max >= 0)) throw new TypeError('max: expected a number from 0');
      const all: Pet[] = [];
      if (max < 1) return all;
      for await (const pet of eachPet(Math.min(Math.floor(max), maxPageLength))) {
        if (all.push(pet) > max - 1) break;
      }
      return all;
    },
  };
}

/**
 * Finds where the page after this one starts. Only the cursor is taken from the link: the key goes to
 * `baseUrl` and nowhere else, whatever address the link names.
 */
export function readNextCursor(headers: Pick<HttpHeaders, 'get'>): string | undefined {
  const link = findLink(headers, 'next');
  return new URLSearchParams(link?.split(/[?#]/)[1]).get('cursor') ?? undefined;
}
