import type { KeySort, ListedKey } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { callForPage, type Input } from '../call-admin-api.ts';
import { formatCount } from '../format.ts';
import { KeyLink } from '../parts/key-link.ts';
import { Loaded } from '../parts/loaded.ts';
import { Name } from '../parts/name.ts';
import { Pager } from '../parts/pager.ts';
import { QueryField, QuerySelect } from '../parts/query-fields.ts';
import { Sparkline } from '../parts/sparkline.ts';
import { StateBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { OptionalTime, Time } from '../parts/time.ts';
import { usePolling } from '../polling.ts';
import { linkTo, route } from '../route.ts';
import { may } from '../session.ts';

const pageSize = '25';

const plans = ['free', 'pro', 'business', 'enterprise'] as const;
const states = ['active', 'expired', 'revoked'] as const;
const unused = [
  ['7', 'unused for 7 days'],
  ['30', 'unused for 30 days'],
  ['90', 'unused for 90 days'],
  ['365', 'unused for a year'],
] as const;

const usualSort: KeySort = '-created';
const sorts: readonly (readonly [KeySort, string])[] = [
  ['created', 'Oldest first'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
  ['-lastUse', 'Last use, latest first'],
  ['lastUse', 'Last use, longest ago first'],
  ['plan', 'Plan, smallest first'],
  ['-plan', 'Plan, largest first'],
];

/** The keys, page by page. */
export function KeysPage() {
  const { query } = route.value;
  const listing = usePolling(`keys?${JSON.stringify(query)}`, (signal) =>
    callForPage('listKeys', {
      query: {
        sort: usualSort,
        ...query,
        include: 'recent',
        limit: pageSize,
      } as Input<'listKeys'>['query'],
      signal,
    }),
  );

  return html`
    <div class="title">
      <h1>Keys</h1>
      ${may('createKey') && html`<a class="button primary" href=${linkTo('new-key')}>New key</a>`}
    </div>
    <${Filters} />
    <${Loaded} of=${listing} what="the keys">
      ${({ body, nextCursor }: { body: ListedKey[]; nextCursor: string | undefined }) => html`
        ${
          body.length === 0
            ? html`<${NoKeys} isFiltered=${Object.keys(query).length > 0} hasMore=${nextCursor !== undefined} />`
            : html`<${KeyTable} keys=${body} />`
        }
        <${Pager} nextCursor=${nextCursor} />
      `}
    <//>
  `;
}

function Filters() {
  return html`<form class="filters" role="search" aria-label="Keys" onSubmit=${(event: Event) => event.preventDefault()}>
    <${QueryField} name="name" label="Name begins with" />
    <${QueryField} name="account" label="Account" />
    <${QueryField} name="tokenPrefix" label="Token begins with" placeholder="ast_0000" maxlength="8" />
    <${QuerySelect} name="plan" label="Plan" options=${plans.map((plan) => [plan, plan])} />
    <${QuerySelect} name="state" label="State" options=${states.map((state) => [state, state])} />
    <${QuerySelect} name="unusedForDays" label="Use" options=${unused} all="Any" />
    <${QuerySelect} name="sort" label="Sort by" options=${sorts} all="Newest first" />
  </form>`;
}

/** @param hasMore whether the service has looked at some of the keys only. */
function NoKeys({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (hasMore) {
    return html`<p class="state">No key matches among those that were looked at. Go on with the next page.</p>`;
  }
  if (isFiltered) {
    return html`<p class="state">No key matches. <a href=${linkTo('keys')}>Show all keys.</a></p>`;
  }
  return html`<p class="state">
    There are no keys yet.
    ${may('createKey') && html` <a href=${linkTo('new-key')}>Create the first one.</a>`}
  </p>`;
}

function KeyTable({ keys }: { keys: readonly ListedKey[] }) {
  return html`<${Table}
    isWide
    caption="Keys"
    columns=${[
      ...['Name', 'Account', 'Plan', 'State', { number: 'Per minute' }, { number: 'Per day' }],
      ...['Last 24 hours', 'Last use', 'Created'],
    ]}
    rows=${keys.map((key) => ({
      key: key.id,
      cells: [
        html`<${KeyLink} id=${key.id} name=${key.name} />`,
        html`<${Name} text=${key.account} missing="–" />`,
        key.plan,
        html`<${StateBadge} state=${key.state} />`,
        formatCount(key.quota.perMinute),
        formatCount(key.quota.perDay),
        html`<${Day} counts=${key.recent?.byHour ?? []} />`,
        html`<${OptionalTime} at=${key.lastUsedAt} />`,
        html`<${Time} at=${key.createdAt} minutes />`,
      ],
    }))}
  />`;
}

function Day({ counts }: { counts: readonly number[] }) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return html`<span class="day">
    <${Sparkline} counts=${counts} what="in the last 24 hours" />
    <span class="number">${formatCount(total)}</span>
  </span>`;
}
