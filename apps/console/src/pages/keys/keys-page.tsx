import type { KeySort, ListedKey } from '@animal-store/admin-contract';
import { planNames } from '@animal-store/contract/plan';
import { useState } from 'preact/hooks';
import { changeParameters, linkTo, useParameters } from '../../address.ts';
import { may } from '../../api/session.ts';
import { Empty } from '../../components/empty.tsx';
import { keyColumns } from '../../components/table/csv.ts';
import { useKeptOrder } from '../../components/table/keep-order.ts';
import { KeyTable } from '../../components/table/key-table.tsx';
import { ListPage, type ListQuery } from '../../components/table/list-page.tsx';
import { QueryField, QuerySelect } from '../../components/table/query-fields.tsx';
import { readSearchTerm } from '../../components/table/search-term.ts';
import { BulkActions } from './bulk-actions.tsx';

const states = ['active', 'banned', 'suspended', 'expired', 'revoked'] as const;
const unused = [
  ['7', 'unused for 7 days'],
  ['30', 'unused for 30 days'],
  ['90', 'unused for 90 days'],
  ['365', 'unused for a year'],
] as const;

const expiring = [
  ['7', 'expires in 7 days'],
  ['30', 'expires in 30 days'],
  ['90', 'expires in 90 days'],
] as const;

/**
 * Returns the default order of the list. If the list is filtered by keys that expire soon, the
 * service sorts the keys by their expiry, the next one first.
 */
const defaultSortOf = ({ expiresWithinDays }: ListQuery) =>
  expiresWithinDays === undefined ? ('-created' satisfies KeySort) : undefined;

export function KeysPage() {
  return (
    <ListPage
      page="keys"
      title="Keys"
      rows="keys"
      list="listKeys"
      ask={(query: ListQuery) => ({
        sort: defaultSortOf(query),
        ...toFilter(query),
        include: 'recent',
      })}
      columns={keyColumns}
      button={
        may('createKey') && (
          <a class="button primary" href={linkTo('new-key')}>
            New key
          </a>
        )
      }
      fields={
        <>
          <QueryField
            name="search"
            label="Name, account, token or ID"
            read={readSearchTerm}
            class="long"
          />
          <QueryField name="account" label="Account" />
          <QuerySelect name="plan" label="Plan" options={planNames.map((plan) => [plan, plan])} />
          <QuerySelect name="state" label="State" options={states.map((state) => [state, state])} />
          <QuerySelect name="unusedForDays" label="Activity" options={unused} all="Any" />
          <QuerySelect name="expiresWithinDays" label="Expiry" options={expiring} all="Any" />
          <QuerySelect
            name="nearLimit"
            label="Usage"
            options={[['true', 'near daily limit']]}
            all="Any"
          />
        </>
      }
      table={(keys, subject) => <Keys keys={keys} subject={subject} />}
      none={
        <Empty title="No keys yet">
          <p>Callers of the API authenticate with a key. The plan of the key sets their limits.</p>
          {may('createKey') && (
            <p>
              <a class="button" href={linkTo('new-key')}>
                Create key
              </a>
            </p>
          )}
        </Empty>
      }
    />
  );
}

/**
 * Converts the filters to a query. The API has no state `banned`, because a banned key has the
 * state `active`.
 */
function toFilter({ state, ...query }: ListQuery) {
  return state === 'banned' ? { ...query, banned: 'true' } : { ...query, state };
}

/** The table of one page of keys. The selection is cleared when the operator opens another page. */
function Keys({ keys, subject }: { keys: readonly ListedKey[]; subject: string }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const rows = useKeptOrder(subject, keys, ({ id }) => id);
  const query = useParameters('keys');
  const defaultSort = defaultSortOf(query);
  const chosen = rows.filter(({ id }) => selected.has(id));

  const change = (ids: readonly string[], isSelected: boolean) =>
    setSelected(isSelected ? selected.union(new Set(ids)) : selected.difference(new Set(ids)));

  const canChange = may('revokeKey') || may('changeKey');
  return (
    <>
      <KeyTable
        keys={rows}
        isExpiring={defaultSort === undefined}
        sorting={{
          by: query.sort ?? defaultSort ?? '',
          change: (by: string) =>
            changeParameters({ sort: by === defaultSort ? '' : by, cursor: '' }),
        }}
        {...(canChange && { selection: { selected, change } })}
      />
      {canChange && <BulkActions keys={chosen} onDone={() => setSelected(new Set())} />}
    </>
  );
}
