import type { ListedAccount } from '@animal-store/contract/admin';
import { planNames } from '@animal-store/contract/plan';
import { html } from 'htm/preact';
import { callForAll, callForPage, type Input, type Page } from '../call-admin-api.ts';
import { accountColumns, toCsv } from '../csv.ts';
import { formatCount } from '../format.ts';
import { useKeptOrder } from '../keep-order.ts';
import { AccountLink } from '../parts/account-link.ts';
import { CsvButton, withoutCursor } from '../parts/csv-button.ts';
import { Empty } from '../parts/empty.ts';
import { Filters } from '../parts/filters.ts';
import { Loaded } from '../parts/loaded.ts';
import { askCount, Pager } from '../parts/pager.ts';
import { QueryField, QuerySelect } from '../parts/query-fields.ts';
import { AccountBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { usePolling } from '../polling.ts';
import { linkTo, route, setQuery } from '../route.ts';

const pageSize = '50';

export function AccountsPage() {
  const { query } = route.value;
  const subject = `accounts?${JSON.stringify(query)}`;
  const accounts = usePolling(subject, (signal) =>
    callForPage('listAccounts', {
      query: { ...query, ...askCount(query), limit: pageSize } as Input<'listAccounts'>['query'],
      signal,
    }),
  );
  return html`
    <div class="title">
      <h1>Accounts</h1>
      <${CsvButton}
        fileName="accounts.csv"
        write=${async () =>
          toCsv(await callForAll('listAccounts', withoutCursor(query)), accountColumns)}
        what="all accounts that match"
      />
    </div>
    <${Filters} label="Accounts">
      <${QueryField} name="search" label="Name" class="long" />
      <${QuerySelect} name="plan" label="Plan" options=${planNames.map((plan) => [plan, plan])} />
      <${QuerySelect} name="suspended" label="State" options=${[['true', 'suspended']]} />
      <${QuerySelect} name="nearLimit" label="Limit" options=${[['true', '80% of the day used (UTC)']]} all="Any" />
    <//>
    <${Loaded} of=${accounts} what="the accounts">
      ${({ body, nextCursor, total }: Page<ListedAccount[]>) => html`
        ${
          body.length === 0
            ? html`<${NoAccounts} isFiltered=${Object.keys(query).length > 0} />`
            : html`<${AccountTable} accounts=${body} subject=${subject} />`
        }
        <${Pager} nextCursor=${nextCursor} total=${total} />
      `}
    <//>
  `;
}

function NoAccounts({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return html`<${Empty} title="No account matches.">
      <p><a class="button" href=${linkTo('accounts')}>Show all accounts</a></p>
    <//>`;
  }
  return html`<${Empty} title="There are no accounts yet.">
    <p>An account is a reference of your own on keys, such as a customer number. With a plan, its keys share its limits.</p>
    <p><a class="button" href=${linkTo('keys')}>Select keys to move to an account</a></p>
  <//>`;
}

function AccountTable({
  accounts,
  subject,
}: {
  accounts: readonly ListedAccount[];
  subject: string;
}) {
  const rows = useKeptOrder(subject, accounts, ({ account }) => account);
  return html`<${Table}
    isWide
    caption="Accounts"
    sorting=${{
      by: route.value.query['sort'] ?? 'name',
      change: (by: string) => setQuery({ sort: by === 'name' ? '' : by, cursor: '' }),
    }}
    columns=${[
      { title: 'Account', takesRest: true, sort: 'name' },
      ...['State', { title: 'Plan and limits', room: 'wide' }, { number: 'Keys' }],
      { number: 'Requests today (UTC)', sort: '-requests', isOneWay: true },
      { number: 'Denied', sort: '-denials', isOneWay: true },
    ]}
    rows=${rows.map((listed) => ({
      key: listed.account,
      cells: [
        html`<${AccountLink} account=${listed.account} />`,
        html`<${AccountBadge} ...${listed} />`,
        planOf(listed),
        formatCount(listed.keys),
        formatCount(listed.requestsToday),
        formatCount(listed.deniedToday),
      ],
    }))}
  />`;
}

/** Most accounts are labels: nothing is said of their plan. */
function planOf({ plan, quota }: ListedAccount): string {
  if (plan === null || quota === null) return '';
  return `${plan}: ${formatCount(quota.perMinute)} a minute, ${formatCount(quota.perDay)} a day`;
}
