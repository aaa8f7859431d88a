import type { ListedAccount, ListedKey } from '@animal-store/admin-contract';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { call } from '../api/call-admin-api.ts';
import { ConnectionFailure, RefusedRequest } from '../api/failures.ts';
import { KeyName, Name } from '../components/name.tsx';
import { useShortcut } from '../components/shortcuts.tsx';
import { AccountBadge, KeyBadge, StateBadge } from '../components/state-badge.tsx';
import { readSearchTerm } from '../components/table/search-term.ts';
import { formatKeys } from '../components/time/format.ts';
import { linkInTime } from '../components/time/time-range.ts';
import { goTo, linkTo } from '../route.ts';

/** How long after the last letter a search begins. */
const pauseMs = 200;
/** How long after a failure it is tried again. */
const retryMs = 2_000;
const maxKeys = '8';
const maxAccounts = '3';

/** Whether the same question may be answered later: it never reached the service, or that is not well. */
function mayPass(failure: unknown): boolean {
  return (
    failure instanceof ConnectionFailure ||
    (failure instanceof RefusedRequest && failure.status >= 500)
  );
}

/** Something that was found: where it leads, and what is shown of it. */
interface Hit {
  readonly link: string;
  /** What somebody means who types all of one of them. */
  readonly names: readonly (string | null)[];
  readonly cells: readonly ComponentChildren[];
}

interface Found {
  readonly text: string;
  readonly hits: readonly Hit[];
  /** Why nothing could be searched for. */
  readonly failure?: string;
}

async function find(text: string, signal: AbortSignal): Promise<Found> {
  if (text.startsWith('aso_')) {
    const operators = await call('listOperators', { query: { search: text }, signal });
    const hits = operators.map(({ name, role, state }) => ({
      link: linkTo('operators', { query: { search: text } }),
      names: [text],
      cells: [<Name text={name} />, role, <StateBadge state={state} />],
    }));
    return { text, hits };
  }
  const [accounts, keys] = await Promise.all([
    call('listAccounts', { query: { search: text, limit: maxAccounts }, signal }),
    call('listKeys', { query: { search: text, limit: maxKeys }, signal }),
  ]);
  return { text, hits: [...accounts.map(hitOfAccount), ...keys.map(hitOfKey)] };
}

const hitOfAccount = (listed: ListedAccount): Hit => ({
  link: linkInTime('account', { id: listed.account }),
  names: [listed.account],
  cells: [
    <Name text={listed.account} />,
    `Account, ${formatKeys(listed.keys)}`,
    <AccountBadge {...listed} />,
  ],
});

const hitOfKey = (key: ListedKey): Hit => ({
  link: linkInTime('key', { id: key.id }),
  names: [key.name, key.id, ...key.tokens.map(({ prefix }) => prefix)],
  cells: [
    <KeyName id={key.id} name={key.name} />,
    <Name text={key.account} missing="no account" />,
    <KeyBadge {...key} />,
  ],
});

/** The only hit that is called exactly so, in any case. */
function meantBy(text: string, hits: readonly Hit[]): Hit | undefined {
  const isMeant = (name: string | null) => name?.toLowerCase() === text.toLowerCase();
  const [meant, ...others] = hits.filter(({ names }) => names.some(isMeant));
  return others.length === 0 ? meant : undefined;
}

/** One search for everything, from every page: `/` goes to it. */
export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Found>();
  const [chosen, setChosen] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { text, hint } = readSearchTerm(typed);

  useShortcut('/', () => field.current?.focus());

  useEffect(() => {
    if (text === '') return;
    const left = new AbortController();
    async function search(): Promise<void> {
      try {
        setFound(await find(text, left.signal));
        setChosen(-1);
      } catch (failure) {
        if (left.signal.aborted) return;
        setFound({ text, hits: [], failure: failure instanceof Error ? failure.message : '' });
        const isWanted = document.activeElement === field.current;
        if (isWanted && mayPass(failure)) timer = setTimeout(search, retryMs);
      }
    }
    let timer = setTimeout(search, pauseMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [text]);

  const hits = text !== '' && found?.text === text ? found.hits : [];
  const isShown = isOpen && typed.trim() !== '';

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
    // Who is faster than the search waits for it.
    const known =
      found?.text === text
        ? found
        : await find(text, new AbortController().signal).catch(() => undefined);
    // Who has gone elsewhere meanwhile, or typed on, stays there.
    if (location.hash !== began || field.current?.value !== typed) return;
    leave((hits[chosen] ?? meantBy(text, known?.hits ?? []))?.link ?? list);
  }

  return (
    <form class="search" role="search" aria-label="Everything" onSubmit={submit}>
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
        title="Name, account, start of a token or id. Press / to come here."
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
        <div id={`${id}-found`} role="listbox" aria-label="Keys and accounts that were found">
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
          {isShown ? statusOf(hits.length, text, found, hint) : ''}
        </p>
      </div>
    </form>
  );
}

function statusOf(
  count: number,
  text: string,
  found: Found | undefined,
  hint: string | undefined,
): string {
  if (hint !== undefined) return hint;
  if (found?.text !== text) return 'Searching…';
  if (found.failure !== undefined) return found.failure;
  return count === 0
    ? 'Nothing matches.'
    : 'Enter opens what is called exactly so, or shows all keys that match.';
}
