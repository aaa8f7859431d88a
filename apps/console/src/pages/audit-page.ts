import type { AuditEntry } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { auditActions } from '../audit-labels.ts';
import { callForPage, type Input } from '../call-admin-api.ts';
import { AuditTable } from '../parts/audit-table.ts';
import { Loaded } from '../parts/loaded.ts';
import { Pager } from '../parts/pager.ts';
import { QueryField, QuerySelect } from '../parts/query-fields.ts';
import { usePolling } from '../polling.ts';
import { linkTo, route } from '../route.ts';

const pageSize = '50';

/** The audit log: who changed what, and when. */
export function AuditPage() {
  const { query } = route.value;
  const entries = usePolling(`audit?${JSON.stringify(query)}`, (signal) =>
    callForPage('listAuditEntries', {
      query: { ...toQuery(query), limit: pageSize } as Input<'listAuditEntries'>['query'],
      signal,
    }),
  );
  return html`
    <h1>Audit log</h1>
    <form class="filters" role="search" aria-label="Audit log" onSubmit=${(event: Event) => event.preventDefault()}>
      <${QuerySelect} name="action" label="Action" options=${Object.entries(auditActions)} />
      <${QueryField} name="keyId" label="Key (its id)" />
      <${QueryField} name="actor" label="By (id or kind)" placeholder="admin_token" />
      <${QueryField} name="account" label="Account" />
      <${QueryField} name="from" label="From (your time)" type="datetime-local" />
      <${QueryField} name="to" label="Until (your time)" type="datetime-local" />
    </form>
    <${Loaded} of=${entries} what="the audit log">
      ${({ body, nextCursor }: { body: AuditEntry[]; nextCursor: string | undefined }) => html`
        ${
          body.length === 0
            ? html`<p class="state">
                Nothing is recorded${Object.keys(query).length > 0 && html` that matches. <a href=${linkTo('audit')}>Show everything</a>`}.
              </p>`
            : html`<${AuditTable} entries=${body} />`
        }
        <${Pager} nextCursor=${nextCursor} />
      `}
    <//>
  `;
}

/** The fields have local times; the API takes instants. */
function toQuery({ from, to, ...query }: Readonly<Record<string, string>>) {
  const instant = (local: string | undefined) =>
    local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined;
  return { ...query, from: instant(from), to: instant(to) };
}
