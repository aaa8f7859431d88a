import { findLink, type ListPetsQuery, type Pet, pageLimit } from '@animal-store/contract';
import type { PageResult } from './call.ts';
import type { RequestOptions } from './request.ts';

/** The animals of a list, however many pages it has. Each loop over it asks anew. */
export interface PetList extends AsyncIterable<Pet> {
  /**
   * Collects the animals.
   *
   * @throws {TypeError} if `max` is no number from 0.
   */
  toArray(options?: ToArrayOptions): Promise<Pet[]>;
  /** Gives page after page; each is one request, sent when the loop asks for it. */
  pages(): AsyncIterable<Pet[]>;
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

type GetPage = (query: ListPetsQuery, options: RequestOptions | undefined) => Promise<PageResult>;

export function createPetList(
  getPage: GetPage,
  { query, options }: { query: ListPetsQuery; options: RequestOptions | undefined },
): PetList {
  // Each page costs one request of the quota, so pages are as long as they can be.
  async function* pages(limit: number = pageLimit.max) {
    let cursor = query.cursor;
    do {
      const page = await getPage({ ...query, limit: query.limit ?? limit, cursor }, options);
      yield page.data;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  return {
    pages: () => pages(),

    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page;
    },

    async toArray({ max = Number.POSITIVE_INFINITY } = {}) {
      if (!(max >= 0)) throw new TypeError(`max: expected a number from 0, got ${max}`);
      const most = Math.floor(max);
      const pets: Pet[] = [];
      if (most < 1) return pets;
      for await (const page of pages(Math.min(most, pageLimit.max))) {
        // One by one, for as arguments of one `push` a page may be more than the stack can hold.
        for (const pet of page) if (pets.push(pet) >= most) return pets;
      }
      return pets;
    },
  };
}

/**
 * Finds where the page after this one starts. Only the cursor is taken from the link: the key goes to
 * `baseUrl` and nowhere else, whatever address the link names.
 */
export function readNextCursor(headers: Headers): string | undefined {
  const link = findLink(headers.get('Link') ?? '', 'next');
  return new URLSearchParams(link?.split(/[?#]/)[1]).get('cursor') ?? undefined;
}
