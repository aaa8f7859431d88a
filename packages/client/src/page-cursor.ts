import type { Pet } from '@animal-store/contract';
import type { Page } from './each-pet.ts';
import { AnimalStoreError, type CallDetails } from './errors/animal-store-error.ts';
import { findLink } from './find-link.ts';
import type { HttpHeaders } from './http-headers.ts';

/** A page to request, and how to read it. */
interface PageRequest {
  /** The service's own cursor; `undefined` for the first page. */
  cursor: string | undefined;
  read(body: unknown, headers: Pick<HttpHeaders, 'get'>, call: CallDetails): Page;
}

/**
 * Prepares the request of the page that a cursor leads to.
 *
 * The service has no cursor for animals after the last page. So the cursor for later requests the
 * last page again, and contains its last `id`: `~17~` and the cursor of that page. A list is
 * ordered by `id`, and new animals have greater ids.
 */
export function parseCursor(text = ''): PageRequest {
  const [, known = 0, cursor = text] = /^~(\d+)~(.*)/.exec(text) ?? [];
  return {
    cursor: cursor || undefined,

    read(body, headers, call) {
      // Only the cursor is taken from the link: the key goes to `baseUrl` and nowhere else,
      // whatever address the link contains.
      const link = findLink(headers, 'next');
      const nextCursor = new URLSearchParams(link?.split(/[?#]/)[1]).get('cursor') || undefined;
      if (nextCursor && nextCursor === cursor)
        throw new AnimalStoreError('the next page is the same page', call);
      const pets = (body as Pet[]).filter((pet) => !(pet?.id <= Number(known)));
      const resumeCursor = nextCursor ?? `~${pets.at(-1)?.id ?? known}~${cursor}`;
      return { pets, nextCursor, resumeCursor };
    },
  };
}
