import type { ListedAccount, ListedKey, Operator } from '@animal-store/admin-contract';
import {
  queryOptions,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { goTo, linkTo } from '../address.ts';
import { call } from '../api/call-admin-api.ts';
import { ConnectionFailure, RefusedRequest } from '../api/failures.ts';
import { KeyName, Name } from '../components/name.tsx';
import { useShortcut } from '../components/shortcuts.tsx';
import { AccountBadge, KeyBadge, StateBadge } from '../components/state-badge.tsx';
import { readSearchTerm } from '../components/table/search-term.ts';
import { formatKeys } from '../components/time/format.ts';
import { linkWithPeriod } from '../components/time/time-range.ts';
import { useDebounced } from '../components/use-debounced.ts';

/** How long the search waits before it retries a failed request, in milliseconds. */
const retryMs = 2_000;
const maxKeys = '8';
const maxAccounts = '3';

/**
 * Returns whether a retry of a failed search may succeed. A retry may succeed if the service did
 * not respond, or responded with a 5xx.
 */
function mayRecover(failure: Error): boolean {
  return (
    failure instanceof ConnectionFailure ||
    (failure instanceof RefusedRequest && failure.status >= 500)
  );
}

/** A search result: its link and its text. */
interface Hit {
  readonly link: string;
  /**
   * The names that identify the result. If the search term equals one of these names, Enter opens
   * the result.
   */
  readonly names: readonly (string | null)[];
  readonly cells: readonly ComponentChildren[];
}

/**
 * Searches keys and accounts. If the text starts like the token of an operator, it searches
 * operators instead.
 */
const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    // Results are not cached, because the keys and accounts may change before the next search.
    gcTime: 0,
    queryFn: async ({ signal }): Promise<readonly Hit[]> => {
      if (text.startsWith('aso_')) {
        const operators = await call('listOperators', { query: { search: text }, signal });
        return operators.map((operator) => hitOfOperator(operator, text));
      }
      const [accounts, keys] = await Promise.all([
        call('listAccounts', { query: { search: text, limit: maxAccounts }, signal }),
        call('listKeys', { query: { search: text, limit: maxKeys }, signal }),
      ]);
      return [...accounts.map(hitOfAccount), ...keys.map(hitOfKey)];
    },
  });

const hitOfOperator = ({ name, role, state }: Operator, text: string): Hit => ({
  link: linkTo('operators', { query: { search: text } }),
  names: [text],
  cells: [<Name text={name} />, role, <StateBadge state={state} />],
});

const hitOfAccount = (listed: ListedAccount): Hit => ({
  link: linkWithPeriod('account', { id: listed.account }),
  names: [listed.account],
  cells: [
    <Name text={listed.account} />,
    `Account, ${formatKeys(listed.keys)}`,
    <AccountBadge {...listed} />,
  ],
});

const hitOfKey = (key: ListedKey): Hit => ({
  link: linkWithPeriod('key', { id: key.id }),
  names: [key.name, key.id, ...key.tokens.map(({ prefix }) => prefix)],
  cells: [
    <KeyName id={key.id} name={key.name} />,
    <Name text={key.account} missing="no account" />,
    <KeyBadge {...key} />,
  ],
});

/**
 * Returns the result whose name equals the search term (case-insensitive), if there is exactly one.
 */
function exactMatchOf(text: string, hits: readonly Hit[]): Hit | undefined {
  const hasThisName = (name: string | null) => name?.toLowerCase() === text.toLowerCase();
  const [exactMatch, ...others] = hits.filter(({ names }) => names.some(hasThisName));
  return others.length === 0 ? exactMatch : undefined;
}

/** The search field in the header of every page. The key `/` moves the focus to it. */
export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const client = useQueryClient();
  const { text, hint } = readSearchTerm(typed);
  const settledText = useDebounced(text);
  const found = useQuery({
    ...searchQuery(text),
    enabled: text !== '' && text === settledText,
    // A failed search is only retried while the search field has the focus.
    retry: (_, failure) => mayRecover(failure) && document.activeElement === field.current,
    retryDelay: retryMs,
  });
  const hits = found.data ?? [];
  const isShown = isOpen && typed.trim() !== '';

  useShortcut('/', () => field.current?.focus());
  useEffect(() => setChosen(-1), [found.data]);

  function leave(link: string): void {
    setOpen(false);
    setTyped('');
    goTo(link);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setOpen(true);
      setChosen(Math.min(Math.max(chosen + step, -1), hits.length - 1));
    } else if (event.key === 'Escape') {
      if (isShown) setOpen(false);
      else setTyped('');
    }
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (text === '') return;
    const list = linkTo('keys', { query: { search: text } });
    const began = location.hash;
    // If the operator presses Enter before the result arrives, the search waits for it.
    const known = await client
      .fetchQuery({ ...searchQuery(text), staleTime: 'static' })
      .catch(() => []);
    // If the operator has opened another page or typed more text since Enter was pressed, the
    // result is not opened.
    if (location.hash !== began || field.current?.value !== typed) return;
    leave((hits[chosen] ?? exactMatchOf(text, known))?.link ?? list);
  }

  return (
    <form class="search" role="search" aria-label="Keys and accounts" onSubmit={submit}>
      <input
        ref={field}
        type="text"
        inputmode="search"
        role="combobox"
        aria-label="Search keys and accounts"
        aria-expanded={isShown}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder="Search (/)"
        title="Search by name, account, ID or start of a token. Press / to start."
        autocomplete="off"
        spellcheck={false}
        maxlength={255}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <div class="found" hidden={!isShown}>
        <div id={`${id}-found`} role="listbox" aria-label="Search results">
          {hits.map(({ link, cells: [name, of, state] }, index) => (
            <div
              key={link}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                leave(link);
              }}
            >
              <span>{name}</span>
              <span class="muted">{of}</span>
              {state}
            </div>
          ))}
        </div>
        <p class="muted" role="status">
          {isShown ? statusOf(found, hint) : ''}
        </p>
      </div>
    </form>
  );
}

function statusOf(
  { data, failureReason }: UseQueryResult<readonly Hit[]>,
  hint: string | undefined,
): string {
  if (hint !== undefined) return hint;
  if (data !== undefined) {
    return data.length === 0
      ? 'No results.'
      : 'Press Enter to open an exact match, or to list all matching keys.';
  }
  return failureReason?.message ?? 'Searching…';
}
