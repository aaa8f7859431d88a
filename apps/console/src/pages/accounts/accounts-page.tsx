import type { ListedAccount } from '@animal-store/admin-contract';
import { planNames } from '@animal-store/contract/plan';
import { changeParameters, linkTo, useParameters } from '../../address.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { Empty } from '../../components/empty.tsx';
import { AccountBadge } from '../../components/state-badge.tsx';
import { accountColumns } from '../../components/table/csv.ts';
import { useKeptOrder } from '../../components/table/keep-order.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { QueryField, QuerySelect } from '../../components/table/query-fields.tsx';
import { Table } from '../../components/table/table.tsx';
import { formatCount } from '../../components/time/format.ts';

export function AccountsPage() {
  return (
    <ListPage
      page="accounts"
      title="Accounts"
      rows="accounts"
      list="listAccounts"
      columns={accountColumns}
      fields={
        <>
          <QueryField name="search" label="Name" class="long" />
          <QuerySelect name="plan" label="Plan" options={planNames.map((plan) => [plan, plan])} />
          <QuerySelect name="suspended" label="State" options={[['true', 'suspended']]} />
          <QuerySelect
            name="nearLimit"
            label="Usage"
            options={[['true', 'near daily limit']]}
            all="Any"
          />
        </>
      }
      table={(accounts, subject) => <AccountTable accounts={accounts} subject={subject} />}
      none={
        <Empty title="No accounts yet">
          <p>
            An account groups keys under your own reference, such as a customer number. If the
            account has a plan, its keys share the limits of that plan.
          </p>
          <p>
            <a class="button" href={linkTo('keys')}>
              Move keys to an account
            </a>
          </p>
        </Empty>
      }
    />
  );
}

function AccountTable({
  accounts,
  subject,
}: {
  accounts: readonly ListedAccount[];
  subject: string;
}) {
  const rows = useKeptOrder(subject, accounts, ({ account }) => account);
  return (
    <Table
      isWide
      caption="Accounts"
      sorting={{
        by: useParameters('accounts').sort ?? 'name',
        change: (by: string) => changeParameters({ sort: by === 'name' ? '' : by, cursor: '' }),
      }}
      columns={[
        { title: 'Account', takesRest: true, sort: 'name' },
        ...['State', { title: 'Plan and limits', minWidth: 'wide' } as const, { number: 'Keys' }],
        { number: 'Requests today (UTC)', sort: '-requests', isOneWay: true },
        { number: 'Denied', sort: '-denials', isOneWay: true },
      ]}
      rows={rows.map((listed) => ({
        key: listed.account,
        cells: [
          <AccountLink account={listed.account} />,
          <AccountBadge {...listed} />,
          planOf(listed),
          formatCount(listed.keys),
          formatCount(listed.requestsToday),
          formatCount(listed.deniedToday),
        ],
      }))}
    />
  );
}

/**
 * Describes the plan of an account in a table cell. The cell is empty for an account without a
 * plan, like most accounts.
 */
function planOf({ plan, quota }: ListedAccount): string {
  if (plan === null || quota === null) return '';
  return `${plan}: ${formatCount(quota.perMinute)} a minute, ${formatCount(quota.perDay)} a day`;
}
