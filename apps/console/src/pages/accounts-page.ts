import type { ListedAccount } from '@animal-store/admin-contract';
import { planNames } from '@animal-store/contract/plan';
import { html } from 'htm/preact';
import { accountColumns } from '../csv.ts';
import { formatCount } from '../format.ts';
import { useKeptOrder } from '../keep-order.ts';
import { AccountLink } from '../parts/account-link.ts';
import { Empty } from '../parts/empty.ts';
import { ListPage } from '../parts/listing-page.ts';
import { QueryField, QuerySelect } from '../parts/query-fields.ts';
import { AccountBadge } from '../parts/state-badge.ts';
import { Table } from '../parts/table.ts';
import { linkTo, route, setQuery } from '../route.ts';

export function AccountsPage() {
  return html`<${ListPage}
    title="Accounts"
    rows="accounts"
    list="listAccounts"
    columns=${accountColumns}
    fields=${html`
      <${QueryField} name="search" label="Name" class="long" />
      <${QuerySelect} name="plan" label="Plan" options=${planNames.map((plan) => [plan, plan])} />
      <${QuerySelect} name="suspended" label="State" options=${[['true', 'suspended']]} />
      <${QuerySelect} name="nearLimit" label="Limit" options=${[['true', '80% of the day used (UTC)']]} all="Any" />
    `}
    table=${(accounts: ListedAccount[], subject: string) =>
      html`<${AccountTable} accounts=${accounts} subject=${subject} />`}
    noMatch=${{ title: 'No account matches.', all: 'Show all accounts' }}
    none=${html`<${Empty} title="There are no accounts yet.">
      <p>An account is a reference of your own on keys, such as a customer number. With a plan, its keys share its limits.</p>
      <p><a class="button" href=${linkTo('keys')}>Select keys to move to an account</a></p>
    <//>`}
  />`;
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
