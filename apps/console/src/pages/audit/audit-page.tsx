import type { Operator } from '@animal-store/admin-contract';
import { useAdmin } from '../../api/use-admin.ts';
import { AuditTable, auditActions } from '../../components/audit-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { auditColumns } from '../../components/table/csv.ts';
import { ListPage, type ListQuery } from '../../components/table/listing-page.tsx';
import { QueryField, QuerySelect } from '../../components/table/query-fields.tsx';

/** The audit log: who changed what, and when. */
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
          <QueryField name="from" label="From (local time)" type="datetime-local" />
          <QueryField name="to" label="Until (local time)" type="datetime-local" />
        </>
      }
      table={(entries) => <AuditTable entries={entries} />}
      noMatch={{ title: 'No entries match these filters.', all: 'Clear filters' }}
      none={
        <Empty title="No entries yet">
          <p>
            Changes of keys, accounts and operators appear here, and bans when they start and end.
          </p>
        </Empty>
      }
    />
  );
}

/** Actors that are not named operators. */
const unnamedActors = [
  ['admin_token', 'ADMIN_TOKEN'],
  ['local_user', 'Local user'],
  ['system', 'System'],
] as const;

/** The possible actors as options. They are fetched once, because operators seldom change. */
function useActors(): readonly (readonly [value: string, label: string])[] {
  // Without the list, the other actors can still be chosen. The page itself shows the failure.
  const operators = useAdmin('listOperators', {}, { isPolled: false }).data?.body ?? [];
  const byName = operators.toSorted((one, other) => one.name.localeCompare(other.name));
  return [...unnamedActors, ...byName.map((operator) => [operator.id, labelOf(operator)] as const)];
}

/**
 * Names need not be unique. The role, the state and the first characters of the token distinguish
 * them.
 */
function labelOf({ name, role, state, tokens: [token] }: Operator): string {
  const details = [role, state === 'active' ? token?.prefix : state].filter(Boolean);
  // The name is isolated with U+2068 and U+2069, because an option can contain no element.
  return `\u2068${name}\u2069 (${details.join(', ')})`;
}

/** The fields contain local times, and the API accepts UTC. */
function toQuery({ from, to, ...query }: ListQuery) {
  const instant = (local: string | undefined) =>
    local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined;
  return { ...query, from: instant(from), to: instant(to) };
}
