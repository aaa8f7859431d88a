import { signal } from '@preact/signals';
import { queryText } from './api/query-text.ts';

/** What the address says: which page, about what, and how it is filtered. */
export interface Route {
  /** The name of the page, such as `keys`. */
  readonly page: string;
  /** What the page is about, such as the id of a key. */
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

/** Where a list is named with an id, as in `#/keys/0f8f…`, somebody means that one. */
const singulars: Readonly<Record<string, string>> = { keys: 'key', accounts: 'account' };

/**
 * The present address. It is the part behind `#`, which is never sent to a server, so no name that
 * somebody searched for gets into a log.
 */
export const route = signal(parseRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', id = ''] = path.split('/').map(decode);
  return {
    page: id === '' ? page || 'overview' : (singulars[page] ?? page),
    id: id === '' ? undefined : id,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The address of a page, for links. */
export function linkTo(
  page: string,
  {
    id,
    query,
  }: { id?: string | undefined; query?: Readonly<Record<string, string | undefined>> } = {},
): string {
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${queryText(query)}`;
}

export function goTo(link: string): void {
  location.hash = link;
}

/**
 * Changes the query of the present page. The history gets no entry for each letter of a search.
 *
 * @param change an empty value removes a parameter.
 */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { page, id, query } = route.value;
  const link = linkTo(page, { id, query: { ...query, ...change } });
  history.replaceState(null, '', link);
  route.value = parseRoute(link);
}

/** A malformed "%" stays as it is: the page then finds nothing. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
