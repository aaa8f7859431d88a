import type {
  AuditEntry,
  AuditState,
  IssuedOperator,
  Operator,
  OperatorSession,
} from '@animal-store/admin-contract';
import { formatFields, formatTable, none, toExpiry, toTime } from './format-table.ts';
import { showToken, tokenFields, tokensCell, toState } from './show-keys.ts';

export function showOperators(operators: readonly Operator[]): string {
  if (operators.length === 0) return 'There are no operators.\n';
  return formatTable(operators, {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    ROLE: ({ role }) => role,
    STATE: ({ state }) => state,
    TOKENS: ({ tokens }) => tokensCell(tokens),
    EXPIRES: ({ expiresAt }) => toExpiry(expiresAt),
  });
}

export function showSessions(sessions: readonly OperatorSession[]): string {
  if (sessions.length === 0) return 'There are no sessions.\n';
  return formatTable(sessions, {
    BEGAN: ({ createdAt }) => toTime(createdAt),
    ENDS: ({ expiresAt }) => toTime(expiresAt),
    TOKEN: ({ tokenPrefix }) => `${tokenPrefix}…`,
  });
}

export function showOperator(operator: Operator): string {
  return formatFields([
    ['ID', operator.id],
    ['Name', operator.name],
    ['Role', operator.role],
    ['State', toState(operator)],
    ['Created', toTime(operator.createdAt)],
    ['Expires', toExpiry(operator.expiresAt)],
    ...tokenFields(operator),
  ]);
}

export function showIssuedOperator({ operator, token }: IssuedOperator): string {
  return `${showOperator(operator)}\n${showToken(token)}`;
}

export function showAuditEntries(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'No entries match.\n';
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

/**
 * Formats the changes of an audit entry, such as `plan free → pro`. If there was no old value, only
 * the new value is shown, as in `plan pro`.
 */
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
  if ('minute' in value) return `${value.minute}/${value.day}`;
  return 'at' in value ? toTime(value.at) : `${value.perMinute}/${value.perDay}`;
}
