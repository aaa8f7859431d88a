import type { AuditEntry, AuditState } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { auditActions } from '../audit-labels.ts';
import { formatCount } from '../format.ts';
import { KeyLink } from './key-link.ts';
import { Name } from './name.ts';
import { Table } from './table.ts';
import { CellTime, Time } from './time.ts';

/** Entries of the audit log. */
export function AuditTable({
  entries,
  ofOneKey = false,
}: {
  entries: readonly AuditEntry[];
  /** Leaves out whom the entries are about. */
  ofOneKey?: boolean;
}) {
  return html`<${Table}
    isWide
    caption="Audit log"
    columns=${['When', 'By', 'Action', ...(ofOneKey ? [] : ['About']), 'Change', { title: 'Reason', room: 'tablet' }] as const}
    rows=${entries.map((entry) => ({
      key: String(entry.id),
      cells: [
        html`<${CellTime} at=${entry.at} />`,
        html`<${Name} text=${entry.actor.name} />`,
        auditActions[entry.action],
        ...(ofOneKey ? [] : [html`<${Subject} subject=${entry.subject} />`]),
        html`<${Change} before=${entry.before} after=${entry.after} />`,
        html`<${Name} text=${entry.reason} missing="–" />`,
      ],
    }))}
  />`;
}

function Subject({ subject: { type, id, name } }: { subject: AuditEntry['subject'] }) {
  if (type === 'key') return html`<${KeyLink} id=${id} name=${name} />`;
  return html`<${Name} text=${name} /> <span class="muted">${type}</span>`;
}

type Member = keyof AuditState;

const memberLabels: Readonly<Record<Member, string>> = {
  name: 'name',
  account: 'account',
  plan: 'plan',
  quota: 'limits',
  scopes: 'may',
  role: 'role',
  expiresAt: 'expires',
  revokedAt: 'revoked',
  suspension: 'suspended',
  tokens: 'tokens',
  bannedUntil: 'banned until',
  strikes: 'strikes',
};

/** What an entry has changed, member by member. */
function Change({ before, after }: { before: AuditState; after: AuditState }) {
  const members = Object.keys(memberLabels).filter(
    (member): member is Member => member in before || member in after,
  );
  return html`<ul class="changes">
    ${members.map(
      (member) => html`<li key=${member}>
        <span class="muted">${memberLabels[member]}</span>${' '}
        ${(before[member] ?? null) !== null && html`<${Value} member=${member} state=${before} /> → `}
        <${Value} member=${member} state=${after} />
      </li>`,
    )}
  </ul>`;
}

function Value({ member, state }: { member: Member; state: AuditState }) {
  const value = state[member];
  if (value === undefined || value === null) return html`<span class="missing">none</span>`;
  switch (member) {
    case 'name':
    case 'account':
      return html`<${Name} text=${value} />`;
    case 'quota': {
      const { perMinute, perDay } = state.quota ?? { perMinute: 0, perDay: 0 };
      return html`${formatCount(perMinute)}/min, ${formatCount(perDay)}/day`;
    }
    case 'tokens':
      return html`${state.tokens?.map(({ prefix }) => html`<code>${prefix}</code> `)}`;
    case 'expiresAt':
    case 'revokedAt':
    case 'bannedUntil':
      return html`<${Time} at=${value} />`;
    case 'suspension':
      return html`<${Time} at=${state.suspension?.at} />`;
    case 'scopes':
      return html`${state.scopes?.join(', ')}`;
    case 'strikes':
      return formatCount(state.strikes ?? 0);
    case 'plan':
    case 'role':
      return html`${value}`;
  }
}
