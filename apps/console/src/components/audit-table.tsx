import type { AuditAction, AuditEntry, AuditState } from '@animal-store/admin-contract';
import type { ComponentChildren } from 'preact';
import { AccountLink } from './account-link.tsx';
import { scopesLabel } from './form/scope-field.tsx';
import { KeyLink } from './key-link.tsx';
import { Name } from './name.tsx';
import { Table } from './table/table.tsx';
import { formatCount } from './time/format.ts';
import { CellTime, Time } from './time/time.tsx';

/** The labels of the actions in the audit log. */
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
  'ban.started': 'Ban started',
  'ban.ended': 'Ban ended',
  'operator.created': 'Operator created',
  'operator.rotated': 'Operator rotated',
  'operator.revoked': 'Operator revoked',
};

export function AuditTable({
  entries,
  hasOneSubject = false,
}: {
  entries: readonly AuditEntry[];
  /**
   * Whether all entries are about the same key, operator or account. The table then hides the
   * column with the name of this object.
   */
  hasOneSubject?: boolean;
}) {
  return (
    <Table
      isWide
      caption="Audit log"
      columns={[
        'When',
        { title: 'Action', takesRest: true },
        ...(hasOneSubject ? [] : [{ title: 'Subject', shrinks: true }]),
        'By',
        { title: 'Reason', minWidth: 'desk', shrinks: true },
      ]}
      rows={entries.map((entry) => ({
        key: String(entry.id),
        cells: [
          <CellTime at={entry.at} />,
          <Change entry={entry} />,
          ...(hasOneSubject ? [] : [<Subject subject={entry.subject} />]),
          <div class="short">
            <Name text={entry.actor.name} />
          </div>,
          entry.reason === null ? '' : <Name text={entry.reason} />,
        ],
      }))}
      empty="No entries."
    />
  );
}

function Subject({ subject: { type, id, name } }: { subject: AuditEntry['subject'] }) {
  if (type === 'key') return <KeyLink id={id} name={name} />;
  if (type === 'account') return <AccountLink account={name} />;
  return <Name text={name} />;
}

type Member = keyof AuditState;

const timeOf = (at: string | null | undefined) => at && <Time at={at} />;
const quotaText = (perMinute = 0, perDay = 0) =>
  `${formatCount(perMinute)}/min, ${formatCount(perDay)}/day`;

/**
 * The properties that a change can affect, each with its label and a function that formats its
 * value.
 */
const members: Readonly<
  Record<
    Member,
    { readonly label: string; readonly show: (state: AuditState) => ComponentChildren }
  >
> = {
  name: { label: 'name', show: ({ name }) => <Name text={name} /> },
  account: { label: 'account', show: ({ account }) => <Name text={account} /> },
  plan: { label: 'plan', show: ({ plan }) => plan },
  quota: { label: 'limits', show: ({ quota }) => quotaText(quota?.perMinute, quota?.perDay) },
  scopes: { label: 'permissions', show: ({ scopes }) => scopes && scopesLabel(scopes) },
  role: { label: 'role', show: ({ role }) => role },
  expiresAt: { label: 'expires', show: ({ expiresAt }) => timeOf(expiresAt) },
  revokedAt: { label: 'revoked', show: ({ revokedAt }) => timeOf(revokedAt) },
  suspension: {
    label: 'suspended since',
    show: ({ suspension }) => timeOf(suspension?.at),
  },
  tokens: {
    label: 'tokens',
    show: ({ tokens }) =>
      tokens?.map(({ prefix }) => (
        <>
          <code>{prefix}</code>{' '}
        </>
      )),
  },
  bannedUntil: { label: 'until', show: ({ bannedUntil }) => timeOf(bannedUntil) },
  strikes: { label: 'strikes', show: ({ strikes = 0 }) => formatCount(strikes) },
  used: { label: 'used', show: ({ used }) => quotaText(used?.minute, used?.day) },
};

/**
 * Properties whose change is listed only if they had a value before the change and have one after
 * it. In other cases, the action or another column of the table already shows the change.
 */
const implied: readonly Member[] = ['name', 'revokedAt', 'suspension', 'tokens', 'strikes'];

/** Shows the changes of an audit entry on one line, which expands to show them in full. */
function Change({ entry: { action, before, after, reason } }: { entry: AuditEntry }) {
  const changed = Object.keys(members).filter(
    (member): member is Member => member in before || member in after,
  );
  const has = (state: AuditState, member: Member) => (state[member] ?? null) !== null;
  const isListedAsChange = (member: Member) =>
    implied.includes(member)
      ? member !== 'tokens' && has(before, member) && has(after, member)
      : has(before, member) || has(after, member);
  const valueIn = (state: AuditState, member: Member) =>
    has(state, member) ? members[member].show(state) : <span class="missing">none</span>;
  // The row shows the old value, if there was one, and the new value.
  const step = (member: Member) => (
    <>
      <span class="muted">{members[member].label}</span>{' '}
      {has(before, member) && <>{valueIn(before, member)} → </>}
      {valueIn(after, member)}
    </>
  );
  const name = auditActions[action];
  if (changed.length === 0 && reason === null) return <>{name}</>;
  return (
    <details class="change">
      <summary>
        {name}{' '}
        <span class="muted">
          {changed.filter(isListedAsChange).map((member, n) => (
            <>
              {n > 0 && ', '}
              {step(member)}
            </>
          ))}
        </span>
      </summary>
      <ul class="changes">
        {changed.map((member) => (
          <li key={member}>{step(member)}</li>
        ))}
        {reason !== null && (
          <li>
            <span class="muted">reason</span> <Name text={reason} />
          </li>
        )}
      </ul>
    </details>
  );
}
