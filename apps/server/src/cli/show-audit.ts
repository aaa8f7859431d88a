import type { AuditEntry, AuditState } from '@animal-store/contract/admin';
import { formatTable, none } from './format-table.ts';
import { toTime } from './format-time.ts';

/** Entries of the audit log as a table. */
export function showAuditEntries(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'There are no such entries.\n';
  return formatTable(entries, {
    AT: ({ at }) => toTime(at),
    WHO: ({ actor }) => actor.name,
    ACTION: ({ action }) => action,
    ID: ({ subject }) => subject.id,
    NAME: ({ subject }) => subject.name ?? none,
    CHANGE: showChange,
    REASON: ({ reason }) => reason ?? none,
  });
}

/** The members that changed, as `plan free → pro`. Without what it was, if it was nothing. */
function showChange({ before, after }: AuditEntry): string {
  const names = Object.keys({ ...before, ...after }) as (keyof AuditState)[];
  const changes = names.map((name) => {
    const was = showMember(before, name);
    return `${name} ${was === undefined ? '' : `${was} → `}${showMember(after, name) ?? none}`;
  });
  return changes.join(', ') || none;
}

function showMember(state: AuditState, name: keyof AuditState): string | undefined {
  const value = state[name];
  if (value == null) return undefined;
  if (Array.isArray(value)) {
    return value.map((it) => (typeof it === 'string' ? it : `${it.prefix}…`)).join(' ');
  }
  if (typeof value !== 'object')
    return /At$|Until$/.test(name) ? toTime(String(value)) : `${value}`;
  return 'at' in value ? toTime(value.at) : `${value.perMinute}/${value.perDay}`;
}
