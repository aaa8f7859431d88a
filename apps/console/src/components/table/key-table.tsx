import type { ListedKey } from '@animal-store/admin-contract';
import type { ComponentChildren } from 'preact';
import { AccountLink } from '../account-link.tsx';
import { Badge } from '../badge.tsx';
import { KeyLink } from '../key-link.tsx';
import { Sparkline } from '../plot/sparkline.tsx';
import { KeyBadge } from '../state-badge.tsx';
import { formatCount } from '../time/format.ts';
import { CellTime } from '../time/time.tsx';
import type { Selection } from './selection.tsx';
import { type Column, type Sorting, Table } from './table.tsx';

interface KeyColumn {
  readonly column: Column;
  readonly cell: (key: ListedKey) => ComponentChildren;
  /** Whether the column is hidden in the list of a single account's keys. */
  readonly isHiddenForOneAccount?: true;
}

const columns: readonly KeyColumn[] = [
  {
    column: { title: 'Name', sort: 'name', takesRest: true },
    cell: ({ id, name }) => <KeyLink id={id} name={name} />,
  },
  {
    column: { title: 'Account', minWidth: 'tablet', shrinks: true },
    cell: ({ account }) => <AccountLink account={account} />,
    isHiddenForOneAccount: true,
  },
  {
    column: { title: 'Plan', minWidth: 'desk' },
    cell: ({ plan, inForce }) =>
      inForce.subject === 'key' ? (
        plan
      ) : (
        <span title={`The plan of the account. The own plan of the key, ${plan}, is inactive.`}>
          {inForce.plan} <span class="muted">(account)</span>
        </span>
      ),
  },
  {
    column: { title: 'State', sort: 'state' },
    cell: KeyBadge,
  },
  {
    column: { number: 'Per minute', minWidth: 'most' },
    cell: ({ inForce: { quota } }) => formatCount(quota.perMinute),
  },
  {
    column: { number: 'Per day', minWidth: 'most' },
    cell: ({ inForce: { quota } }) => formatCount(quota.perDay),
  },
  {
    column: { title: 'Last 24 hours', minWidth: 'full' },
    cell: ({ recent }) => <Sparkline counts={recent?.byHour ?? []} what="in the last 24 hours" />,
    isHiddenForOneAccount: true,
  },
  {
    column: { number: 'Requests today (UTC)', sort: '-requests', isOneWay: true, minWidth: 'wide' },
    cell: ({ recent }) => formatCount(recent?.requestsToday ?? 0),
    isHiddenForOneAccount: true,
  },
  {
    column: { number: 'Denied', sort: '-denials', isOneWay: true, minWidth: 'wide' },
    cell: ({ recent }) => formatCount(recent?.deniedToday ?? 0),
    isHiddenForOneAccount: true,
  },
  {
    column: { title: 'Last used', sort: '-lastUse' },
    cell: LastUse,
  },
  {
    column: { title: 'Created', sort: '-created', minWidth: 'full' },
    cell: ({ createdAt }) => <CellTime at={createdAt} />,
  },
];

const expiry: KeyColumn = {
  column: 'Expires',
  cell: ({ expiresAt }) => <CellTime at={expiresAt} />,
};

export function KeyTable({
  keys,
  hasOneAccount = false,
  isExpiring = false,
  sorting,
  selection,
}: {
  keys: readonly ListedKey[];
  hasOneAccount?: boolean;
  /** Whether the table has a column with the expiry of each key. */
  isExpiring?: boolean;
  sorting?: Sorting;
  selection?: Omit<Selection, 'nameOf'>;
}) {
  const names = new Map(keys.map(({ id, name }) => [id, name ?? `the key ${id.slice(0, 8)}`]));
  const shown = [...columns, ...(isExpiring ? [expiry] : [])].filter(
    ({ isHiddenForOneAccount }) => !(hasOneAccount && isHiddenForOneAccount),
  );
  return (
    <Table
      isWide
      caption="Keys"
      columns={shown.map(({ column }) => column)}
      sorting={sorting}
      {...(selection && {
        selection: { ...selection, nameOf: (id: string) => names.get(id) ?? id },
      })}
      rows={keys.map((key) => ({ key: key.id, cells: shown.map(({ cell }) => cell(key)) }))}
    />
  );
}

/**
 * Shows the time of a key's last request: the last successful use, or the last refusal if it is
 * more recent.
 */
function LastUse({ lastUsedAt, lastRefusedAt }: ListedKey) {
  return (lastRefusedAt ?? '') > (lastUsedAt ?? '') ? (
    <>
      <CellTime at={lastRefusedAt} isMinute /> <Badge tone="neutral" text="refused" />
    </>
  ) : (
    <CellTime at={lastUsedAt} isMinute />
  );
}
