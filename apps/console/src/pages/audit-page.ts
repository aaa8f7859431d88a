import type { AuditEntry, Operator } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { auditActions } from '../audit-labels.ts';
import { call, callForAll, callForPage, type Input, type Page } from '../call-admin-api.ts';
import { auditColumns, toCsv } from '../csv.ts';
import { AuditTable } from '../parts/audit-table.ts';
import { CsvButton, withoutCursor } from '../parts/csv-button.ts';
import { Empty } from '../parts/empty.ts';
import { Filters } from '../parts/filters.ts';
import { Loaded } from '../parts/loaded.ts';
import { askCount, Pager } from '../parts/pager.ts';
import { QueryField, QuerySelect } from '../parts/query-fields.ts';
import { usePolling } from '../polling.ts';
import { linkTo, route } from '../route.ts';

const pageSize = '50';

/** The audit log: who changed what, and when. */
export function AuditPage() {
  const { query } = route.value;
  const entries = usePolling(`audit?${JSON.stringify(query)}`, (signal) =>
    callForPage('listAuditEntries', {
      query: {
        ...toQuery(query),
        ...askCount(query),
        limit: pageSize,
      } as Input<'listAuditEntries'>['query'],
      signal,
    }),
  );
  return html`
    <div class="title">
      <h1>Audit log</h1>
      <${CsvButton}
        fileName="audit.csv"
        write=${async () =>
          toCsv(await callForAll('listAuditEntries', toQuery(withoutCursor(query))), auditColumns)}
        what="all entries that match"
      />
    </div>
    <${Filters} label="Audit log">
      <${QueryField} name="search" label="Reason or name" class="long" />
      <${QuerySelect} name="action" label="Action" options=${Object.entries(auditActions)} />
      <${QueryField} name="keyId" label="Key (its id)" />
      <${QuerySelect} name="actor" label="By" options=${useActors()} all="Everybody" />
      <${QueryField} name="account" label="Account" />
      <${QueryField} name="from" label="From (your time)" type="datetime-local" />
      <${QueryField} name="to" label="Until (your time)" type="datetime-local" />
    <//>
    <${Loaded} of=${entries} what="the audit log">
      ${({ body, nextCursor, total }: Page<AuditEntry[]>) => html`
        ${
          body.length === 0
            ? html`<${NoEntries} isFiltered=${Object.keys(query).length > 0} />`
            : html`<${AuditTable} entries=${body} />`
        }
        <${Pager} nextCursor=${nextCursor} total=${total} />
      `}
    <//>
  `;
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return html`<${Empty} title="Nothing is recorded that matches.">
      <p><a class="button" href=${linkTo('audit')}>Show everything</a></p>
    <//>`;
  }
  return html`<${Empty} title="Nothing is recorded yet.">
    <p>Each change of a key or an operator will be here, and each ban with its end.</p>
  <//>`;
}

/** Those who act without being named operators. */
const unnamedActors = [
  ['admin_token', 'ADMIN_TOKEN'],
  ['local_user', 'Local user'],
  ['system', 'The service itself'],
] as const;

/** Those who can have done something, as choices. They are asked for once: operators seldom change. */
function useActors(): readonly (readonly [value: string, label: string])[] {
  const [operators, setOperators] = useState<readonly Operator[]>([]);
  useEffect(() => {
    const left = new AbortController();
    // Without the list, the others can still be chosen. The page says why it cannot load anything.
    call('listOperators', { signal: left.signal }).then(setOperators, () => {});
    return () => left.abort();
  }, []);
  const byName = operators.toSorted((one, other) => one.name.localeCompare(other.name));
  return [...unnamedActors, ...byName.map((operator) => [operator.id, labelOf(operator)] as const)];
}

/** Names need not be unique: the role, the state and the first characters of the token tell them apart. */
function labelOf({ name, role, state, tokens: [token] }: Operator): string {
  const details = [role, state === 'active' ? token?.prefix : state].filter(Boolean);
  // Isolated (U+2068, U+2069), because a choice can hold no element.
  return `\u2068${name}\u2069 (${details.join(', ')})`;
}

/** The fields have local times; the API takes instants. */
function toQuery({ from, to, ...query }: Readonly<Record<string, string>>) {
  const instant = (local: string | undefined) =>
    local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined;
  return { ...query, from: instant(from), to: instant(to) };
}
