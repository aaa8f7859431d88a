import { useRoute, useSearch } from 'wouter-preact';
import { useHashLocation } from 'wouter-preact/use-hash-location';
import { queryText } from './api/query-text.ts';

// The address of a page is the part behind `#`, as in `#/keys?account=C-5`. Browsers never send
// this part to a server, so searched names do not get into a log. wouter would put the parameters
// in front of the `#`.

/** The period of the plots of a page. */
const span = ['range', 'from', 'to'] as const;

/** The pages, and the parameters that their addresses may have. */
const pages = {
  overview: span,
  keys: [
    ...(['search', 'account', 'plan', 'state', 'unusedForDays', 'expiresWithinDays'] as const),
    ...(['nearLimit', 'sort', 'cursor'] as const),
  ],
  key: span,
  'new-key': ['account'],
  accounts: ['search', 'plan', 'suspended', 'nearLimit', 'sort', 'cursor'],
  account: span,
  audit: ['search', 'action', 'keyId', 'actor', 'account', 'from', 'to', 'cursor'],
  deprecation: [...span, 'days', 'cursor'],
  operators: ['search'],
} as const satisfies Record<string, readonly string[]>;

export type PageName = keyof typeof pages;
export type ParameterName<Page extends PageName = PageName> = (typeof pages)[Page][number];

/** The parameters in the address of a page, such as filters and a sort order. */
export type Parameters<Page extends PageName = PageName> = Readonly<
  Partial<Record<ParameterName<Page>, string | undefined>>
>;

/** The parameters of an address. */
export interface Address {
  /** The page of the address; `undefined` if the address names none. */
  readonly page: PageName | undefined;
  /** The subject of the page, such as the id of a key. */
  readonly id: string | undefined;
}

/** An address of a list with an id, as in `#/keys/0f8f…`, means the page of this id. */
const singulars: Readonly<Record<string, PageName>> = { keys: 'key', accounts: 'account' };

/**
 * wouter decodes the results of its hooks, and the console decodes ids and parameters. Decoding
 * twice would be wrong.
 */
const escapeForWouter = (text: string) => text.replaceAll('%', '%25');

/** Returns the path of the address, for wouter's `Router`. */
export function useHashPath(): ReturnType<typeof useHashLocation> {
  const [hash, navigate] = useHashLocation();
  const [path = ''] = hash.split('?');
  return [escapeForWouter(path), navigate];
}

/** Returns the parameters of the address as a string, for wouter's `Router`. */
export function useHashSearch(): string {
  const [hash] = useHashLocation();
  return escapeForWouter(hash.split('?')[1] ?? '');
}

export function useAddress(): Address {
  const [, found] = useRoute('/:page?/:id?');
  const name = found?.page ?? '';
  const id = found?.id === undefined ? undefined : decode(found.id);
  const page = id === undefined ? name || 'overview' : (singulars[name] ?? name);
  return { page: isPageName(page) ? page : undefined, id };
}

/** Returns the parameters of the current address, which must belong to this page. */
export function useParameters<Page extends PageName>(_page: Page): Parameters<Page> {
  return Object.fromEntries(new URLSearchParams(useSearch())) as Parameters<Page>;
}

/** Returns any parameters of the current address, for parameters that several pages have. */
export function useAllParameters(): Parameters {
  return useParameters<PageName>('overview');
}

/** Returns the address of a page, for links. */
export function linkTo<Page extends PageName>(
  page: Page,
  { id, query }: { id?: string; query?: Parameters<Page> } = {},
): string {
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${queryText(query)}`;
}

/** Returns the current address with other parameters. An empty one is removed. */
export function linkHere(change: Parameters): string {
  const [path = '', search] = location.hash.replace(/^#\/?/, '').split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  return `#/${path}${queryText({ ...query, ...change })}`;
}

export function goTo(link: string): void {
  location.hash = link;
}

/** Changes parameters of the current address. A search adds no history entry for each letter. */
export function changeParameters(change: Parameters): void {
  history.replaceState(null, '', linkHere(change));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function isPageName(name: string): name is PageName {
  return Object.hasOwn(pages, name);
}

/** A malformed "%" stays as it is, and the page then finds nothing. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
