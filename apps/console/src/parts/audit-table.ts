import type { AuditEntry, AuditState } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { auditActions } from '../audit-labels.ts';
import { formatCount } from '../format.ts';
import { linkTo } from '../route.ts';
import { Name } from './name.ts';
import { Time } from './time.ts';

/** Entries of the audit log. */
export function AuditTable({
  entries,
  ofOneKey = false,
}: {
  entries: readonly AuditEntry[];
  /** Leaves out whom the entries are about. */
  ofOneKey?: boolean;
}) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Audit log">
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">By</th>
          <th scope="col">Action</th>
          ${!ofOneKey && html`<th scope="col">About</th>`}
          <th scope="col">Change</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        ${entries.map(
          (entry) => html`<tr key=${entry.id}>
            <td><${Time} at=${entry.at} /></td>
            <td><${Name} text=${entry.actor.name} /></td>
            <td>${auditActions[entry.action]}</td>
            ${!ofOneKey && html`<td><${Subject} subject=${entry.subject} /></td>`}
            <td><${Change} before=${entry.before} after=${entry.after} /></td>
            <td><${Name} text=${entry.reason} missing="–" /></td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function Subject({ subject: { type, id, name } }: { subject: AuditEntry['subject'] }) {
  const text = html`<${Name} text=${name} missing=${`no name (${id.slice(0, 8)})`} />`;
  if (type === 'key') return html`<a href=${linkTo('key', { id })}>${text}</a>`;
  return html`${text} <span class="muted">operator</span>`;
}

type Member = keyof AuditState;

const memberLabels: Readonly<Record<Member, string>> = {
  name: 'name',
  account: 'account',
  plan: 'plan',
  quota: 'limits',
  role: 'role',
  expiresAt: 'expires',
  revokedAt: 'revoked',
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
    case 'strikes':
      return formatCount(state.strikes ?? 0);
    case 'plan':
    case 'role':
      return html`${value}`;
  }
}
