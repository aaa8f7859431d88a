import type { Pet } from '@animal-store/contract';
import type { Page } from './each-pet.ts';
import { AnimalStoreError, type CallDetails } from './errors/animal-store-error.ts';
import { findLink } from './find-link.ts';
import type { HttpHeaders } from './http-headers.ts';

/** The request for one page, and the function that reads its response. */
interface PageRequest {
  /** The cursor for the service, or `undefined` for the first page. */
  cursor: string | undefined;
  read(body: unknown, headers: Pick<HttpHeaders, 'get'>, call: CallDetails): Page;
}

/**
 * Parses a cursor of this client, and prepares the request for its page.
 *
 * The service has no cursor that leads beyond the last page. So the `resumeCursor` of the last page
 * contains the last known `id` and the cursor of that page, as in `~17~<cursor>`. The client
 * requests the last page again, and drops the animals with an `id` up to 17. Animals that are added
 * later have greater ids.
 *
 * A loop over pages uses the form `>17~<cursor>`. In this form, an animal with an `id` up to 17 is
 * an error, because a cache has then returned an earlier page again.
 */
export function parseCursor(text = ''): PageRequest {
  const [, mark, known = 0, cursor = text] = /^([~>])(\d+)~(.*)/.exec(text) ?? [];
  return {
    cursor: cursor || undefined,

    read(body, headers, call) {
      // Only the cursor is taken from the link, not the address. So a manipulated link cannot send
      // the API key to another host.
      const link = findLink(headers, 'next');
      const nextCursor = new URLSearchParams(link?.split(/[?#]/)[1]).get('cursor') || undefined;
      const pets = (body as Pet[]).filter((pet) => !(pet?.id <= Number(known)));
      // A cache may return an earlier page again. Without these checks, the loop could request the
      // same pages forever.
      const fault =
        nextCursor && nextCursor === cursor
          ? 'has the same cursor as this page'
          : mark === '>' &&
            pets.length < (body as Pet[]).length &&
            'repeats animals of an earlier page';
      if (fault)
        throw new AnimalStoreError(
          `the next page ${fault}; a proxy or a cache may repeat responses`,
          call,
        );
      const resumeCursor = nextCursor ?? `~${pets.at(-1)?.id ?? known}~${cursor}`;
      return { pets, nextCursor, resumeCursor };
    },
  };
}
