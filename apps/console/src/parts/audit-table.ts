import type { AuditAction, AuditEntry, AuditState } from '@animal-store/contract/admin';
import { html } from 'htm/preact';
import { formatCount } from '../format.ts';
import { AccountLink } from './account-link.ts';
import { KeyLink } from './key-link.ts';
import { Name } from './name.ts';
import { Table } from './table.ts';
import { CellTime, Time } from './time.ts';

/** How the actions of the audit log are called. */
export const auditActions: Readonly<Record<AuditAction, string>> = {
  'key.created': 'Key created',
  'key.changed': 'Key changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'key.suspended': 'Key suspended',
  'key.resumed': 'Key resumed',
  'key.unbanned': 'Unbanned',
  'account.changed': 'Account changed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'ban.started': 'Ban began',
  'ban.ended': 'Ban ended',
  'operator.created': 'Operator created',
  'operator.rotated': 'Operator rotated',
  'operator.revoked': 'Operator revoked',
};

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
    columns=${[
      'When',
      { title: 'Action', takesRest: true },
      ...(ofOneKey ? [] : [{ title: 'About', shrinks: true }]),
      'By',
      { title: 'Reason', room: 'desk', shrinks: true },
    ]}
    rows=${entries.map((entry) => ({
      key: String(entry.id),
      cells: [
        html`<${CellTime} at=${entry.at} />`,
        html`<${Change} entry=${entry} />`,
        ...(ofOneKey ? [] : [html`<${Subject} subject=${entry.subject} />`]),
        html`<div class="short"><${Name} text=${entry.actor.name} /></div>`,
        entry.reason === null ? '' : html`<${Name} text=${entry.reason} />`,
      ],
    }))}
    empty="Nothing is recorded."
  />`;
}

function Subject({ subject: { type, id, name } }: { subject: AuditEntry['subject'] }) {
  if (type === 'key') return html`<${KeyLink} id=${id} name=${name} />`;
  if (type === 'account') return html`<${AccountLink} account=${name} />`;
  return html`<${Name} text=${name} />`;
}

type Member = keyof AuditState;

const memberLabels: Readonly<Record<Member, string>> = {
  name: 'name',
  account: 'account',
  plan: 'plan',
  quota: 'limits',
  scopes: 'scopes',
  role: 'role',
  expiresAt: 'expires',
  revokedAt: 'revoked',
  suspension: 'suspended since',
  tokens: 'tokens',
  bannedUntil: 'until',
  strikes: 'strikes',
  used: 'used',
};

/** What an action says by itself, or its other columns do. */
const implied: readonly Member[] = ['name', 'revokedAt', 'suspension', 'tokens', 'strikes'];

/** What an entry has changed, on one line, which opens to all of it. */
function Change({ entry: { action, before, after, reason } }: { entry: AuditEntry }) {
  const members = Object.keys(memberLabels).filter(
    (member): member is Member => member in before || member in after,
  );
  const has = (state: AuditState, member: Member) => (state[member] ?? null) !== null;
  const isTelling = (member: Member) =>
    implied.includes(member)
      ? member !== 'tokens' && has(before, member) && has(after, member)
      : has(before, member) || has(after, member);
  const name = auditActions[action];
  if (members.length === 0 && reason === null) return html`${name}`;
  return html`<details class="change">
    <summary>
      ${name} <span class="muted">
        ${members
          .filter(isTelling)
          .map(
            (member, n) =>
              html`${n > 0 && ', '}${memberLabels[member]} <${Step} member=${member} of=${{ before, after }} />`,
          )}
      </span>
    </summary>
    <ul class="changes">
      ${members.map(
        (member) => html`<li key=${member}>
          <span class="muted">${memberLabels[member]}</span> <${Step} member=${member} of=${{ before, after }} />
        </li>`,
      )}
      ${reason !== null && html`<li><span class="muted">reason</span> <${Name} text=${reason} /></li>`}
    </ul>
  </details>`;
}

/** The value before, if there was one, and the value after. */
function Step({
  member,
  of: { before, after },
}: {
  member: Member;
  of: { before: AuditState; after: AuditState };
}) {
  return html`${(before[member] ?? null) !== null && html`<${Value} member=${member} state=${before} /> → `}
    <${Value} member=${member} state=${after} />`;
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
    case 'used': {
      const { minute, day } = state.used ?? { minute: 0, day: 0 };
      return html`${formatCount(minute)}/min, ${formatCount(day)}/day`;
    }
    case 'strikes':
      return formatCount(state.strikes ?? 0);
    case 'plan':
    case 'role':
      return html`${value}`;
  }
}
