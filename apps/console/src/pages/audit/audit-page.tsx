import type { Operator } from '@animal-store/admin-contract';
import { useAdmin } from '../../api/use-admin.ts';
import { AuditTable, auditActions } from '../../components/audit-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { auditColumns } from '../../components/table/csv.ts';
import { ListPage, type ListQuery } from '../../components/table/list-page.tsx';
import { QueryField, QuerySelect } from '../../components/table/query-fields.tsx';

/** The page of the audit log: who changed what, and when. */
export function AuditPage() {
  return (
    <ListPage
      page="audit"
      title="Audit log"
      rows="entries"
      list="listAuditEntries"
      ask={toQuery}
      columns={auditColumns}
      fields={
        <>
          <QueryField name="search" label="Reason or name" class="long" />
          <QuerySelect name="action" label="Action" options={Object.entries(auditActions)} />
          <QueryField name="keyId" label="Key ID" />
          <QuerySelect name="actor" label="By" options={useActors()} all="Anyone" />
          <QueryField name="account" label="Account" />
          <div class="pair">
            <QueryField name="from" label="From (local time)" type="datetime-local" />
            <QueryField name="to" label="Until (local time)" type="datetime-local" />
          </div>
        </>
      }
      table={(entries) => <AuditTable entries={entries} />}
      none={
        <Empty title="No entries yet">
          <p>
            This page lists changes to keys, accounts and operators, and the start and end of each
            ban.
          </p>
        </Empty>
      }
    />
  );
}

/** The filter options for changes that no named operator made. */
const unnamedActors = [
  ['admin_token', 'ADMIN_TOKEN'],
  ['local_user', 'local user'],
  ['system', 'system'],
] as const;

/**
 * Returns the filter options for the actor of a change. The list of operators is not polled,
 * because operators seldom change.
 */
function useActors(): readonly (readonly [value: string, label: string])[] {
  // If the list of operators cannot be fetched, the filter offers only actors that are not
  // operators.
  const operators = useAdmin('listOperators', {}, { isPolled: false }).data?.body ?? [];
  const byName = operators.toSorted((one, other) => one.name.localeCompare(other.name));
  return [...unnamedActors, ...byName.map((operator) => [operator.id, labelOf(operator)] as const)];
}

/**
 * Labels an operator with name, role, state and the first characters of a token. The name alone is
 * not enough, because two operators may have the same name.
 */
function labelOf({ name, role, state, tokens: [token] }: Operator): string {
  const details = [role, state === 'active' ? token?.prefix : state].filter(Boolean);
  // The characters U+2068 and U+2069 isolate the name from the text around it, because the name may
  // be right-to-left text. On other pages, an HTML element does this, but an `option` cannot
  // contain elements.
  return `\u2068${name}\u2069 (${details.join(', ')})`;
}

/**
 * Converts the filters to a query of the API. The fields of the form contain local times, but the
 * API expects UTC.
 */
function toQuery({ from, to, ...query }: ListQuery) {
  const instant = (local: string | undefined) =>
    local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined;
  return { ...query, from: instant(from), to: instant(to) };
}
