import { useRoute, useSearch } from 'wouter-preact';
import { useHashLocation } from 'wouter-preact/use-hash-location';
import type { Input, List } from './api/call-admin-api.ts';
import { queryText } from './api/query-text.ts';

// The console uses hash routing: the address of a page is the part behind `#`, as in
// `#/keys?account=C-5`. Browsers never send this part to a server, so names that an operator
// searches for do not get into an access log. The console parses the address itself, because the
// router wouter expects the parameters in front of the `#`.

/** The parameters that select the period of the plots on a page. */
const span = ['range', 'from', 'to'] as const;

/** The filters of a list operation. The keys are the names of the filters in the contract. */
type Filters<Name extends List> = readonly (keyof NonNullable<Input<Name>['query']>)[];

/** The names of all pages, each with the parameters that its address may have. */
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
} as const satisfies Record<string, readonly string[]> & {
  readonly keys: Filters<'listKeys'>;
  readonly accounts: Filters<'listAccounts'>;
  readonly audit: Filters<'listAuditEntries'>;
};

export type PageName = keyof typeof pages;
export type ParameterName<Page extends PageName = PageName> = (typeof pages)[Page][number];

/** The parameters in the address of a page, such as filters and a sort order. */
export type Parameters<Page extends PageName = PageName> = Readonly<
  Partial<Record<ParameterName<Page>, string | undefined>>
>;

/** A parsed address of the console. */
export interface Address {
  /** The name of the page; `undefined` if the address names no page that exists. */
  readonly page: PageName | undefined;
  /** The id of the object that the page shows, such as the id of a key. */
  readonly id: string | undefined;
}

/**
 * The pages that show a single object of a list. If the address of a list has an id, as in
 * `#/keys/0f8f…`, the console opens the page of the object with this id.
 */
const singulars: Readonly<Record<string, PageName>> = { keys: 'key', accounts: 'account' };

/**
 * Escapes the percent signs in a text for the router wouter, whose hooks decode the text that they
 * return. The console decodes ids and parameters itself. Without the escaping, they would be
 * decoded twice, which could change their value.
 */
const escapeForWouter = (text: string) => text.replaceAll('%', '%25');

/** Returns the path of the current address, for the component `Router` of the library wouter. */
export function useHashPath(): ReturnType<typeof useHashLocation> {
  const [hash, navigate] = useHashLocation();
  const [path = ''] = hash.split('?');
  return [escapeForWouter(path), navigate];
}

/**
 * Returns the parameters of the current address as a string, for the component `Router` of the
 * library wouter.
 */
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

/**
 * Returns the parameters of the current address.
 *
 * @param _page the page that calls the hook. The argument only determines the type of the result.
 */
export function useParameters<Page extends PageName>(_page: Page): Parameters<Page> {
  return Object.fromEntries(new URLSearchParams(useSearch())) as Parameters<Page>;
}

/** Returns the parameters of the current address, for components that several pages use. */
export function useAllParameters(): Parameters {
  return useParameters<PageName>('overview');
}

/** Creates the address of a page, for a link. */
export function linkTo<Page extends PageName>(
  page: Page,
  { id, query }: { id?: string; query?: Parameters<Page> } = {},
): string {
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${queryText(query)}`;
}

/**
 * Creates a copy of the current address with other parameters. A parameter with an empty value is
 * removed.
 */
export function linkHere(change: Parameters): string {
  const [path = '', search] = location.hash.replace(/^#\/?/, '').split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  return `#/${path}${queryText({ ...query, ...change })}`;
}

export function goTo(link: string): void {
  location.hash = link;
}

/**
 * Changes parameters of the current address. The current entry of the browser's history is
 * replaced, so that a search does not add an entry for each letter.
 */
export function changeParameters(change: Parameters): void {
  history.replaceState(null, '', linkHere(change));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function isPageName(name: string): name is PageName {
  return Object.hasOwn(pages, name);
}

/**
 * Decodes a part of an address. A text with a malformed `%` is returned unchanged, and the page
 * then finds no object with this id.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
